#include "worker/cuda/device/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* The few functions used, as the NVML API reference declares them: declared here because toolkits come
 * without nvml.h, and looked up at run time because login nodes come without the library. All return 0 for
 * success. */
typedef struct nvmlDevice_st *nvml_handle;
struct nvml {
    void *library;
    nvml_handle device;
    int (*shutdown)(void);
    int (*version)(char *, unsigned);
    int (*reasons)(nvml_handle, unsigned long long *);
    int (*temperature)(nvml_handle, unsigned sensor, unsigned *celsius);
    int (*power)(nvml_handle, unsigned *milliwatts);
};

/* The object's address as a function's: POSIX guarantees it, ISO C has no cast for it. */
static void look_up(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
}

struct nvml *nvml_open(const char *pci_address)
{
    int (*init)(void) = NULL;
    int (*by_address)(const char *, nvml_handle *) = NULL;
    struct nvml *nvml = memory_new(1, sizeof *nvml);
    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library)
        goto failed;
    look_up(nvml->library, "nvmlInit_v2", &init);
    look_up(nvml->library, "nvmlDeviceGetHandleByPciBusId_v2", &by_address);
    look_up(nvml->library, "nvmlShutdown", &nvml->shutdown);
    look_up(nvml->library, "nvmlSystemGetDriverVersion", &nvml->version);
    look_up(nvml->library, "nvmlDeviceGetCurrentClocksEventReasons", &nvml->reasons);
    if (!nvml->reasons) /* its name before driver 535 */
        look_up(nvml->library, "nvmlDeviceGetCurrentClocksThrottleReasons", &nvml->reasons);
    look_up(nvml->library, "nvmlDeviceGetTemperature", &nvml->temperature);
    look_up(nvml->library, "nvmlDeviceGetPowerUsage", &nvml->power);
    if (!init || !by_address || init() != 0)
        goto failed;
    if (by_address(pci_address, &nvml->device) == 0)
        return nvml;
    if (nvml->shutdown)
        nvml->shutdown();
failed:
    if (nvml->library)
        dlclose(nvml->library);
    free(nvml);
    return NULL;
}

void nvml_close(struct nvml *nvml)
{
    if (!nvml)
        return;
    if (nvml->shutdown)
        nvml->shutdown();
    dlclose(nvml->library);
    free(nvml);
}

void nvml_driver_version(struct nvml *nvml, char *out, size_t size)
{
    out[0] = '\0';
    if (nvml && nvml->version && nvml->version(out, (unsigned)size) != 0)
        out[0] = '\0';
}

uint64_t nvml_reasons(struct nvml *nvml)
{
    unsigned long long reasons = 0;
    if (!nvml || !nvml->reasons || nvml->reasons(nvml->device, &reasons) != 0)
        return 0;
    return reasons;
}

struct nvml_state nvml_read(struct nvml *nvml)
{
    struct nvml_state state = {nvml_reasons(nvml), NAN, NAN};
    unsigned value;
    if (nvml && nvml->temperature && nvml->temperature(nvml->device, 0, &value) == 0)
        state.temperature = value;
    if (nvml && nvml->power && nvml->power(nvml->device, &value) == 0)
        state.power = 1e-3 * value;
    return state;
}
