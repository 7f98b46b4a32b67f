/* driver.h - the driver's functions for memory that processes share, found at run time: the worker is not linked against the
 * driver. CUDA Driver API, section "Virtual Memory Management". */
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <stdbool.h>
#include <stdint.h>

/* X(field, name): all of them are since CUDA 10.2. */
#define CUDA_DRIVER_FUNCTIONS(X)                                                                             \
    X(granularity, cuMemGetAllocationGranularity)                                                            \
    X(create, cuMemCreate)                                                                                   \
    X(release, cuMemRelease)                                                                                 \
    X(export_to, cuMemExportToShareableHandle)                                                               \
    X(import_from, cuMemImportFromShareableHandle)                                                           \
    X(reserve, cuMemAddressReserve)                                                                          \
    X(unreserve, cuMemAddressFree)                                                                           \
    X(map, cuMemMap)                                                                                         \
    X(unmap, cuMemUnmap)                                                                                     \
    X(set_access, cuMemSetAccess)

struct cuda_driver {
#define X(field, name) PFN_##name##_v10020 field;
    CUDA_DRIVER_FUNCTIONS(X)
#undef X
};

/* Write the pointer to one of the driver's functions, of `size` bytes, to `function`. False: this driver lacks it. */
bool cuda_driver_find(const char *name, void *function, size_t size);

/* The functions, or NULL if this driver lacks one. */
const struct cuda_driver *cuda_driver(void);

/* The name of an error, such as CUDA_ERROR_INVALID_DEVICE. */
const char *cuda_driver_error(CUresult error);
