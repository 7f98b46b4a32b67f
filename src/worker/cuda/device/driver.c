#include "worker/cuda/device/driver.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "worker/cuda/device/device.h"
#include "worker/machine.h"

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

CUresult cuda_driver_share(int ordinal, CUmemAllocationHandleType type, uint64_t *bytes, void *handle,
                           CUmemGenericAllocationHandle *allocation, const char **step)
{
    const struct cuda_driver *driver = cuda_driver();
    CUmemAllocationProp what = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = type,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = ordinal}};
    size_t granule = 1;
    *step = "cuMemGetAllocationGranularity";
    CUresult status = driver->granularity(&granule, &what, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    if (status != CUDA_SUCCESS)
        return status;
    *bytes = (*bytes + granule - 1) / granule * granule;
    *step = "cuMemCreate";
    status = driver->create(allocation, *bytes, &what, 0);
    if (status != CUDA_SUCCESS)
        return status;
    *step = "cuMemExportToShareableHandle";
    status = driver->export_to(handle, *allocation, type, 0);
    if (status != CUDA_SUCCESS)
        driver->release(*allocation);
    return status;
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

/* ---- Fabric handles ---- */

void cuda_fabric_describe(int ordinal, struct device *device)
{
    const struct cuda_driver *driver = cuda_driver();
    const char *step = "", *channel = machine_imex("");
    CUmemGenericAllocationHandle allocation;
    CUmemFabricHandle handle;
    uint64_t bytes = 1;
    CUresult status =
        driver ? cuda_driver_share(ordinal, CU_MEM_HANDLE_TYPE_FABRIC, &bytes, &handle, &allocation, &step)
               : CUDA_ERROR_NOT_SUPPORTED;
    if (status == CUDA_SUCCESS)
        driver->release(allocation);
    if (status == CUDA_SUCCESS)
        snprintf(device->fabric_handles, sizeof device->fabric_handles, "usable");
    else
        snprintf(device->fabric_handles, sizeof device->fabric_handles, "%s%s%.40s%s%s",
                 driver ? step : "the driver shares no memory", driver ? ": " : "",
                 driver ? cuda_driver_error(status) : "", channel ? "; " : "", channel ? channel : "");
}
