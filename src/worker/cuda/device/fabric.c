#include "worker/cuda/device/device.h"

#include <stdio.h>

#include "worker/cuda/device/driver.h"
#include "worker/machine.h"

#if CUDA_VERSION >= 12040

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

#else

void cuda_fabric_describe(int ordinal, struct device *device)
{
    (void)ordinal;
    snprintf(device->fabric_handles, sizeof device->fabric_handles, "built with CUDA before 12.4");
}

#endif
