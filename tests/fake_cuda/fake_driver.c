#include "fake_driver.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker/cuda/device/driver.h"

struct fake_driver fake_driver = {.free_bytes = UINT64_C(1) << 30};

/* An allocation is a descriptor; a second one of it is another handle of the same. */

static CUresult granularity(size_t *bytes, const CUmemAllocationProp *what,
                            CUmemAllocationGranularity_flags option)
{
    *bytes = FAKE_GRANULE;
    return CUDA_SUCCESS;
}

static CUresult create(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *what,
                       unsigned long long flags)
{
    if (what->type != CU_MEM_ALLOCATION_TYPE_PINNED || what->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        what->requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || bytes % FAKE_GRANULE)
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes > fake_driver.free_bytes)
        return CUDA_ERROR_OUT_OF_MEMORY;
    int fd = memfd_create("fake-device", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        return CUDA_ERROR_OPERATING_SYSTEM;
    fake_driver.free_bytes -= bytes;
    fake_driver.allocations++;
    *handle = (CUmemGenericAllocationHandle)fd;
    return CUDA_SUCCESS;
}

static CUresult release(CUmemGenericAllocationHandle handle)
{
    fake_driver.allocations--;
    fake_driver.free_bytes += (uint64_t)lseek((int)handle, 0, SEEK_END);
    return close((int)handle) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult export_to(void *fd, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
                          unsigned long long flags)
{
    *(int *)fd = dup((int)handle);
    return type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult import_from(CUmemGenericAllocationHandle *handle, void *fd, CUmemAllocationHandleType type)
{
    int own = dup((int)(uintptr_t)fd);
    if (own < 0 || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_INVALID_VALUE;
    fake_driver.allocations++;
    *handle = (CUmemGenericAllocationHandle)own;
    return CUDA_SUCCESS;
}

static CUresult reserve(CUdeviceptr *at, size_t bytes, size_t alignment, CUdeviceptr wanted,
                        unsigned long long flags)
{
    void *pages = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    fake_driver.reserved++;
    *at = (CUdeviceptr)(uintptr_t)pages;
    return CUDA_SUCCESS;
}

static CUresult unreserve(CUdeviceptr at, size_t bytes)
{
    fake_driver.reserved--;
    return munmap((void *)(uintptr_t)at, bytes) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult map(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                    unsigned long long flags)
{
    if (mmap((void *)(uintptr_t)at, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, (int)handle, (off_t)offset) ==
        MAP_FAILED)
        return CUDA_ERROR_INVALID_VALUE;
    fake_driver.mapped++;
    return CUDA_SUCCESS;
}

static CUresult unmap(CUdeviceptr at, size_t bytes)
{
    fake_driver.mapped--;
    void *pages =
        mmap((void *)(uintptr_t)at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return pages == MAP_FAILED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult set_access(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *access, size_t count)
{
    if (fake_driver.no_access)
        return CUDA_ERROR_INVALID_DEVICE;
    if (count != 1 || access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE ||
        mprotect((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult name_error(CUresult error, const char **name)
{
    *name = error == CUDA_ERROR_INVALID_DEVICE  ? "CUDA_ERROR_INVALID_DEVICE"
            : error == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
                                                : "another error";
    return CUDA_SUCCESS;
}

/* ---- The runtime's functions that are used besides those of fake_cuda.c ---- */

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    static const struct cuda_driver all = {granularity, create,    release, export_to, import_from,
                                           reserve,     unreserve, map,     unmap,     set_access};
    static const PFN_cuGetErrorName_v6000 error_name = name_error;
    static const char *const names[] = {
#define X(field, name) #name,
        CUDA_DRIVER_FUNCTIONS(X)
#undef X
    };
    *function = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name) && (!fake_driver.missing || strcmp(fake_driver.missing, name) != 0))
            memcpy(function, (const char *)&all + i * sizeof *function, sizeof *function);
    if (!strcmp(name, "cuGetErrorName"))
        memcpy(function, &error_name, sizeof *function);
    *result = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int ordinal)
{
    *properties = (struct cudaDeviceProp){.major = 9, .l2CacheSize = 50 << 20};
    snprintf(properties->name, sizeof properties->name, "a device");
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *ordinal)
{
    *ordinal = 0;
    return cudaSuccess;
}
