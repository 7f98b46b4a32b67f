/* handing.c - what this process hands over of its own device. Nothing of it may end the process: an error is the asker's. */
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "worker/cuda/device/driver.h"
#include "worker/cuda/device/device.h"

static void describe(struct handover_device *device)
{
    struct cudaDeviceProp properties;
    size_t available = 0, total = 0;
    int ordinal = 0;
    if (cudaGetDevice(&ordinal) != cudaSuccess ||
        cudaGetDeviceProperties(&properties, ordinal) != cudaSuccess ||
        cudaMemGetInfo(&available, &total) != cudaSuccess) {
        cudaGetLastError();
        return;
    }
    snprintf(device->name, sizeof device->name, "%.90s", properties.name);
    device->capability = properties.major * 10 + properties.minor;
    device->l2_bytes = (uint64_t)properties.l2CacheSize;
    device->room_bytes = available > CUDA_RESERVED_BYTES ? available - CUDA_RESERVED_BYTES : 0;
}

/* Round up to what the driver allocates, allocate, and export. */
static CUresult create(struct handover_piece *piece, const char **step)
{
    const struct cuda_driver *driver = cuda_driver();
    CUmemAllocationProp what = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemGenericAllocationHandle allocation = 0;
    size_t step_bytes = 1;
    *step = "cudaGetDevice";
    if (cudaGetDevice(&what.location.id) != cudaSuccess)
        return CUDA_ERROR_INVALID_DEVICE;
    *step = "cuMemGetAllocationGranularity";
    CUresult status = driver->granularity(&step_bytes, &what, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    if (status != CUDA_SUCCESS)
        return status;
    piece->bytes = (piece->bytes + step_bytes - 1) / step_bytes * step_bytes;
    *step = "cuMemCreate";
    status = driver->create(&allocation, piece->bytes, &what, 0);
    if (status != CUDA_SUCCESS)
        return status;
    *step = "cuMemExportToShareableHandle";
    status = driver->export_to(&piece->fd, allocation, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    if (status != CUDA_SUCCESS)
        driver->release(allocation);
    piece->handle = allocation;
    return status;
}

static int allocate(struct handover_piece *piece, char *reason, size_t size)
{
    const char *step = "the driver does not share memory";
    uint64_t wanted = piece->bytes;
    CUresult status = cuda_driver() ? create(piece, &step) : CUDA_ERROR_NOT_SUPPORTED;
    if (status == CUDA_SUCCESS)
        return 0;
    snprintf(reason, size, "%.4g GiB: %s: %s", (double)wanted / 0x1p30, step, cuda_driver_error(status));
    return -1;
}

/* The memory is free when the other process has unmapped it, too. */
static void release(const struct handover_piece *piece)
{
    cuda_driver()->release(piece->handle);
}

const struct handover_source cuda_handover = {.describe = describe, .allocate = allocate, .release = release};
