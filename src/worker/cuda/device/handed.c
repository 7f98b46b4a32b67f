#include "worker/cuda/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "worker/cuda/device/driver.h"

/* ---- Mapping ---- */

static void unmap(char *at, uint64_t bytes)
{
    cuda_driver()->unmap((CUdeviceptr)(uintptr_t)at, bytes);
    cuda_driver()->unreserve((CUdeviceptr)(uintptr_t)at, bytes);
}

/* Reserve addresses, map the allocation there, and let the current device read and write it. The mapping keeps the allocation. */
static CUresult map_allocation(CUmemGenericAllocationHandle allocation, uint64_t bytes, CUdeviceptr *at,
                               const char **step)
{
    const struct cuda_driver *driver = cuda_driver();
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUDA(cudaGetDevice(&access.location.id));
    *step = "cuMemAddressReserve";
    CUresult status = driver->reserve(at, bytes, 0, 0, 0);
    if (status != CUDA_SUCCESS)
        return status;
    *step = "cuMemMap";
    status = driver->map(*at, bytes, 0, allocation, 0);
    if (status != CUDA_SUCCESS) {
        driver->unreserve(*at, bytes);
        return status;
    }
    *step = "cuMemSetAccess";
    status = driver->set_access(*at, bytes, &access, 1);
    if (status != CUDA_SUCCESS)
        unmap((char *)(uintptr_t)*at, bytes);
    return status;
}

/* The address of the memory behind a descriptor; NULL with an error. */
static char *map(int fd, uint64_t bytes, struct error *error)
{
    const char *step = "cuMemImportFromShareableHandle";
    CUmemGenericAllocationHandle allocation;
    CUdeviceptr at = 0;
    CUresult status = cuda_driver()->import_from(&allocation, (void *)(uintptr_t)fd,
                                                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if (status == CUDA_SUCCESS) {
        status = map_allocation(allocation, bytes, &at, &step);
        cuda_driver()->release(allocation);
    }
    if (status == CUDA_SUCCESS)
        return (char *)(uintptr_t)at;
    error_set(error, ERROR_ENVIRONMENT, "%s: %s", step, cuda_driver_error(status));
    return NULL;
}

/* ---- The other rank's device ---- */

static int ask(const struct cuda_handed *handed, uint64_t bytes, int *fd, struct handover_answer *answer)
{
    const struct config *config = handed->config;
    struct error error;
    int connection = handover_ask(config->place.handover, handed->seat,
                                  handover_patience(config->timing.timeout), bytes, fd, answer, &error);
    if (connection < 0)
        cuda_fail("%s", error.text);
    return connection;
}

/* A piece of `*bytes` bytes or more, mapped. NULL with an error if the driver does not map what the other worker gave. */
static char *take(struct cuda_handed *handed, uint64_t *bytes, struct error *error)
{
    struct handover_answer answer;
    int i = 0, fd, connection = ask(handed, *bytes, &fd, &answer);
    char *at = map(fd, answer.bytes, error);
    close(fd);
    if (!at) {
        close(connection);
        return NULL;
    }
    while (handed->piece[i].at) /* there is room for all that a device has */
        i++;
    handed->piece[i].at = at;
    handed->piece[i].connection = connection;
    handed->piece[i].bytes = *bytes = answer.bytes;
    handed->capability = answer.device.capability;
    return at;
}

struct cuda_handed *cuda_handed_open(const struct config *config, int seat, struct error *error)
{
    struct cuda_handed handed = {.config = config, .seat = seat};
    uint64_t smallest = 1;
    struct error why;
    if (!cuda_driver()) {
        error_set(error, ERROR_ENVIRONMENT,
                  "device %d is another rank's, and this driver does not share memory", seat);
        return NULL;
    }
    if (!take(&handed, &smallest, &why)) {
        error_set(error, ERROR_ENVIRONMENT,
                  "device %d is another rank's, and the driver does not map its memory here (%.90s): the "
                  "devices need peer access",
                  seat, why.text);
        return NULL;
    }
    struct cuda_handed *opened = memory_new(1, sizeof *opened);
    *opened = handed;
    return opened;
}

static void give(struct cuda_handed *handed, int i)
{
    unmap(handed->piece[i].at, handed->piece[i].bytes);
    close(handed->piece[i].connection);
    handed->piece[i].at = NULL;
}

void cuda_handed_close(struct cuda_handed *handed)
{
    if (!handed)
        return;
    cudaDeviceSynchronize(); /* nothing may use it any more; a failure is the next call's */
    for (int i = 0; i < CUDA_HANDED_PIECES; i++)
        if (handed->piece[i].at)
            give(handed, i);
    free(handed);
}

bool cuda_handed_is_alive(const struct cuda_handed *handed)
{
    return handover_is_alive(handed->piece[0].connection);
}

void cuda_handed_check(const struct cuda_handed *handed)
{
    if (!cuda_handed_is_alive(handed))
        cuda_fail("the worker of rank %d of this node has ended: it held the memory of device %d",
                  handed->seat, handed->seat);
}

uint64_t cuda_handed_room(const struct cuda_handed *handed)
{
    struct handover_answer answer;
    int none;
    close(ask(handed, 0, &none, &answer));
    return answer.device.room_bytes;
}

char *cuda_handed_new(struct cuda_handed *handed, uint64_t *bytes)
{
    struct error error;
    char *at = take(handed, bytes, &error);
    if (!at)
        cuda_fail("%s", error.text);
    return at;
}

void cuda_handed_free(struct cuda_handed *handed, char *memory)
{
    int i = 0;
    if (!memory)
        return;
    while (handed->piece[i].at != memory)
        i++;
    CUDA(cudaDeviceSynchronize());
    give(handed, i);
}

/* ---- What this process hands over of its own device. Nothing of it may end the process: an error is the asker's. ---- */

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

/* Allocate and export; `*step`: the function that failed. */
static CUresult share(struct handover_piece *piece, const char **step)
{
    const struct cuda_driver *driver = cuda_driver();
    CUmemAllocationProp what = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    size_t granule = 1;
    *step = "the driver does not share memory";
    if (!driver || cudaGetDevice(&what.location.id) != cudaSuccess)
        return CUDA_ERROR_NOT_SUPPORTED;
    *step = "cuMemGetAllocationGranularity";
    CUresult status = driver->granularity(&granule, &what, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    if (status != CUDA_SUCCESS)
        return status;
    piece->bytes = (piece->bytes + granule - 1) / granule * granule;
    CUmemGenericAllocationHandle allocation;
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

static int allocate(struct handover_piece *piece, struct error *error)
{
    const char *step;
    double wanted = (double)piece->bytes;
    CUresult status = share(piece, &step);
    if (status == CUDA_SUCCESS)
        return 0;
    return error_set(error, ERROR_ENVIRONMENT, "%.4g GiB: %s: %s", wanted / 0x1p30, step,
                     cuda_driver_error(status));
}

/* The memory is free when the other process has unmapped it, too. */
static void release(const struct handover_piece *piece)
{
    cuda_driver()->release(piece->handle);
}

const struct handover_source cuda_handover = {.describe = describe, .allocate = allocate, .release = release};
