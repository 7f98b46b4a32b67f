#include "worker/cuda/device/driver.h"

#include <cuda_runtime_api.h>
#include <string.h>

#define VERSION 12000 /* of the functions' declarations */

bool cuda_driver_find(const char *name, void *function, size_t size)
{
    void *found = NULL;
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    cudaError_t status = cudaGetDriverEntryPointByVersion(name, &found, VERSION, cudaEnableDefault, &result);
    memcpy(function, &found, size); /* ISO C has no cast from object to function pointer */
    return status == cudaSuccess && result == cudaDriverEntryPointSuccess;
}

const struct cuda_driver *cuda_driver(void)
{
    static struct cuda_driver driver;
    static bool tried, complete;
    if (!tried) {
        complete = true;
#define X(field, name) complete &= cuda_driver_find(#name, &driver.field, sizeof driver.field);
        CUDA_DRIVER_FUNCTIONS(X)
#undef X
        tried = true;
    }
    return complete ? &driver : NULL;
}

const char *cuda_driver_error(CUresult error)
{
    PFN_cuGetErrorName_v6000 name_of;
    const char *name = NULL;
    if (!cuda_driver_find("cuGetErrorName", &name_of, sizeof name_of) ||
        name_of(error, &name) != CUDA_SUCCESS)
        return "an unknown error";
    return name;
}
