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
    device->capability = properties.major * 10 + properties.minor;
    device->room_bytes = available > CUDA_RESERVED_BYTES ? available - CUDA_RESERVED_BYTES : 0;
}

static int allocate(struct handover_piece *piece, struct error *error)
{
    const char *step = "the driver does not share memory";
    uint64_t wanted = piece->bytes;
    CUmemGenericAllocationHandle allocation = 0;
    CUresult status = CUDA_ERROR_NOT_SUPPORTED;
    int ordinal = 0;
    if (cuda_driver() && cudaGetDevice(&ordinal) == cudaSuccess)
        status = cuda_driver_share(ordinal, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, &piece->bytes,
                                   &piece->fd, &allocation, &step);
    piece->handle = allocation;
    if (status == CUDA_SUCCESS)
        return 0;
    return error_set(error, ERROR_ENVIRONMENT, "%.4g GiB: %s: %s", (double)wanted / 0x1p30, step,
                     cuda_driver_error(status));
}

/* The memory is free when the other process has unmapped it, too. */
static void release(const struct handover_piece *piece)
{
    cuda_driver()->release(piece->handle);
}

const struct handover_source cuda_handover = {.describe = describe, .allocate = allocate, .release = release};
