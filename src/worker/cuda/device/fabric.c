#include "worker/cuda/device/device.h"

#include <stdio.h>

#include "worker/cuda/device/driver.h"
#include "worker/machine.h"

#if CUDA_VERSION >= 12040

/* Allocate the least that the driver allocates, and export it. */
static CUresult try_handle(const struct cuda_driver *driver, int ordinal, const char **step)
{
    CUmemAllocationProp what = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = ordinal}};
    CUmemGenericAllocationHandle allocation = 0;
    CUmemFabricHandle handle;
    size_t bytes = 0;
    *step = "cuMemGetAllocationGranularity";
    CUresult status = driver->granularity(&bytes, &what, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    if (status != CUDA_SUCCESS)
        return status;
    *step = "cuMemCreate";
    status = driver->create(&allocation, bytes, &what, 0);
    if (status != CUDA_SUCCESS)
        return status;
    *step = "cuMemExportToShareableHandle";
    status = driver->export_to(&handle, allocation, CU_MEM_HANDLE_TYPE_FABRIC, 0);
    driver->release(allocation);
    return status;
}

void cuda_fabric_describe(int ordinal, struct device *device)
{
    const struct cuda_driver *driver = cuda_driver();
    const char *step = "", *channel = machine_imex("");
    CUresult status = driver ? try_handle(driver, ordinal, &step) : CUDA_ERROR_NOT_SUPPORTED;
    if (status == CUDA_SUCCESS)
        snprintf(device->fabric_handles, sizeof device->fabric_handles, "usable");
    else
        snprintf(device->fabric_handles, sizeof device->fabric_handles, "%s%s%.40s%s%s",
                 driver ? step : "the driver shares no memory", driver ? ": " : "",
                 driver ? cuda_driver_error(status) : "", channel ? "; " : "", channel ? channel : "");
}

#else

void cuda_fabric_describe(int ordinal, struct device *device)
{
    (void)ordinal;
    snprintf(device->fabric_handles, sizeof device->fabric_handles, "built with CUDA before 12.4");
}

#endif
