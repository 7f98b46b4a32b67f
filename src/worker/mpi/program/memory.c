#include "worker/mpi/program/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* A handle is of a whole allocation of the driver: smaller requests share one. */
#define DEVICE_STEP (UINT64_C(2) << 20)

/* The driver's functions, as cuda.h of CUDA 12 and 13 declares them; CUresult is an enum, a CUdeviceptr 64 bits. */
static struct {
    int (*init)(unsigned flags);
    int (*get_device)(int *device, int ordinal);
    int (*retain)(void **context, int device);
    int (*set_current)(void *context);
    int (*synchronize)(void);
    int (*allocate)(unsigned long long *at, size_t bytes);
    int (*release)(unsigned long long at);
    int (*get_handle)(unsigned char *handle, unsigned long long at);
    int (*error_name)(int error, const char **name);
} driver;

static bool on_device;
static char *memory;
static uint64_t memory_bytes;

static int load_driver(char *reason, size_t size)
{
    const struct {
        const char *name;
        void *function; /* the address of the pointer to it */
    } wanted[] = {{"cuInit", &driver.init},
                  {"cuDeviceGet", &driver.get_device},
                  {"cuDevicePrimaryCtxRetain", &driver.retain},
                  {"cuCtxSetCurrent", &driver.set_current},
                  {"cuCtxSynchronize", &driver.synchronize},
                  {"cuMemAlloc_v2", &driver.allocate},
                  {"cuMemFree_v2", &driver.release},
                  {"cuIpcGetMemHandle", &driver.get_handle},
                  {"cuGetErrorName", &driver.error_name}};
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *function = library ? dlsym(library, wanted[i].name) : NULL;
        if (!function) {
            snprintf(reason, size, "the driver cannot be loaded by a process of its MPI job: %.150s",
                     dlerror());
            return -1;
        }
        memcpy(wanted[i].function, &function, sizeof function); /* ISO C has no cast for it */
    }
    return 0;
}

static int fail(const char *step, int error, char *reason, size_t size)
{
    const char *name = "an unknown error";
    driver.error_name(error, &name);
    snprintf(reason, size, "%s in a process of its MPI job: %s", step, name);
    return -1;
}

int memory_open(int ordinal, char *reason, size_t size)
{
    void *context = NULL;
    int device = 0, error;
    on_device = ordinal >= 0;
    if (!on_device)
        return 0;
    if (load_driver(reason, size) != 0)
        return -1;
    if ((error = driver.init(0)) != 0)
        return fail("cuInit", error, reason, size);
    if ((error = driver.get_device(&device, ordinal)) != 0)
        return fail("cuDeviceGet", error, reason, size);
    /* The primary context, which CUDA's runtime uses in MPI. */
    if ((error = driver.retain(&context, device)) != 0)
        return fail("cuDevicePrimaryCtxRetain", error, reason, size);
    if ((error = driver.set_current(context)) != 0)
        return fail("cuCtxSetCurrent", error, reason, size);
    return 0;
}

static char *allocate_on_device(uint64_t bytes, unsigned char handle[MPI_HANDLE_SIZE], char *reason,
                                size_t size)
{
    unsigned long long at = 0;
    if (memory)
        driver.release((unsigned long long)(uintptr_t)memory);
    memory = NULL;
    int error = driver.allocate(&at, (bytes + DEVICE_STEP - 1) / DEVICE_STEP * DEVICE_STEP);
    if (error) {
        fail("cuMemAlloc", error, reason, size);
        return NULL;
    }
    memory = (char *)(uintptr_t)at;
    if ((error = driver.get_handle(handle, at)) == 0)
        return memory;
    fail("cuIpcGetMemHandle", error, reason, size);
    return NULL;
}

static char *allocate_on_host(uint64_t bytes, int *fd, char *reason, size_t size)
{
    if (memory)
        munmap(memory, memory_bytes);
    memory = NULL;
    memory_bytes = bytes;
    *fd = memfd_create("warpsweep", MFD_CLOEXEC);
    void *pages = MAP_FAILED;
    if (*fd >= 0 && ftruncate(*fd, (off_t)bytes) == 0)
        pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (pages != MAP_FAILED)
        return memory = pages;
    snprintf(reason, size, "shared memory of %.4g GiB for its MPI job: %s", (double)bytes / 0x1p30,
             strerror(errno));
    return NULL;
}

char *memory_allocate(uint64_t bytes, int *fd, unsigned char handle[MPI_HANDLE_SIZE], char *reason,
                      size_t size)
{
    *fd = -1;
    return on_device ? allocate_on_device(bytes, handle, reason, size)
                     : allocate_on_host(bytes, fd, reason, size);
}

int memory_wait(char *reason, size_t size)
{
    int error = on_device ? driver.synchronize() : 0;
    return error ? fail("cuCtxSynchronize", error, reason, size) : 0;
}
