#include "worker/cuda/device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "worker/cuda/device/driver.h"

struct cuda_handed {
    struct handover_peer *peer;
    int seat;
    struct handover_device device;
    struct {
        char *at; /* NULL: none */
        uint64_t bytes;
        uint32_t number;
    } piece[HANDOVER_PIECES_MAX];
};

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

/* A piece of `*bytes` bytes or more, mapped. NULL with an error; `*given`: the other worker gave it. */
static char *take(struct cuda_handed *handed, uint64_t *bytes, bool *given, struct error *error)
{
    uint32_t number = 0;
    int i = 0, fd = handover_take(handed->peer, bytes, &number, error);
    *given = fd >= 0;
    if (fd < 0)
        return NULL;
    char *at = map(fd, *bytes, error);
    close(fd);
    if (!at) {
        handover_give(handed->peer, number, NULL);
        return NULL;
    }
    while (handed->piece[i].at) /* the other worker gives no more than there is room for */
        i++;
    handed->piece[i].at = at;
    handed->piece[i].bytes = *bytes;
    handed->piece[i].number = number;
    return at;
}

/* Does the driver let this device use that one's memory? Asked with the smallest piece. */
static bool can_map(struct cuda_handed *handed, bool *given, struct error *error)
{
    struct error why;
    uint64_t bytes = 1;
    char *at = take(handed, &bytes, given, &why);
    if (at)
        cuda_handed_free(handed, at);
    else if (*given)
        error_set(error, ERROR_ENVIRONMENT,
                  "device %d is another rank's, and the driver does not map its memory here (%.90s): the "
                  "devices need peer access",
                  handed->seat, why.text);
    else
        *error = why;
    return at;
}

struct cuda_handed *cuda_handed_open(const struct config *config, int seat, struct error *error)
{
    if (!cuda_driver()) {
        error_set(error, ERROR_ENVIRONMENT,
                  "device %d is another rank's, and this driver does not share memory", seat);
        return NULL;
    }
    double patience = handover_patience(config->timing.timeout);
    struct handover_peer *peer = handover_connect(config->place.handover, seat, patience, error);
    if (!peer)
        cuda_fail("%s", error->text);
    struct cuda_handed *handed = memory_new(1, sizeof *handed);
    handed->peer = peer;
    handed->seat = seat;
    bool given = false;
    if (handover_describe(peer, &handed->device, error) == 0 && can_map(handed, &given, error))
        return handed;
    cuda_handed_close(handed);
    if (!given)
        cuda_fail("%s", error->text);
    return NULL;
}

void cuda_handed_close(struct cuda_handed *handed)
{
    if (!handed)
        return;
    cudaDeviceSynchronize(); /* nothing may use it any more; a failure is the next call's */
    for (int i = 0; i < HANDOVER_PIECES_MAX; i++)
        if (handed->piece[i].at)
            unmap(handed->piece[i].at, handed->piece[i].bytes);
    handover_disconnect(handed->peer);
    free(handed);
}

int cuda_handed_seat(const struct cuda_handed *handed)
{
    return handed->seat;
}

const struct handover_device *cuda_handed_device(const struct cuda_handed *handed)
{
    return &handed->device;
}

bool cuda_handed_is_alive(const struct cuda_handed *handed)
{
    return handover_is_alive(handed->peer);
}

void cuda_handed_check(const struct cuda_handed *handed)
{
    if (!cuda_handed_is_alive(handed))
        cuda_fail("the worker of rank %d of this node has ended: it held the memory of device %d",
                  handed->seat, handed->seat);
}

uint64_t cuda_handed_room(struct cuda_handed *handed)
{
    struct error error;
    if (handover_describe(handed->peer, &handed->device, &error) != 0)
        cuda_fail("%s", error.text);
    return handed->device.room_bytes;
}

char *cuda_handed_new(struct cuda_handed *handed, uint64_t *bytes)
{
    struct error error;
    bool given;
    char *at = take(handed, bytes, &given, &error);
    if (!at)
        cuda_fail("%s", error.text);
    return at;
}

void cuda_handed_free(struct cuda_handed *handed, char *memory)
{
    struct error error;
    int i = 0;
    if (!memory)
        return;
    while (handed->piece[i].at != memory)
        i++;
    CUDA(cudaDeviceSynchronize());
    unmap(memory, handed->piece[i].bytes);
    handed->piece[i].at = NULL;
    if (handover_give(handed->peer, handed->piece[i].number, &error) != 0)
        cuda_fail("%s", error.text);
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
