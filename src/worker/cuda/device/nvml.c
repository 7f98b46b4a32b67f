#include "worker/cuda/device/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* The few functions used, as the NVML API reference declares them: declared here because toolkits come
 * without nvml.h, and looked up at run time because login nodes come without the library. All return 0 for
 * success. */
typedef struct nvmlDevice_st *nvml_handle;

/* nvmlClockType_t. */
enum { CLOCK_GRAPHICS = 0, CLOCK_SM = 1, CLOCK_MEMORY = 2 };

enum {
    LINKS_MAX = 64
}; /* above NVML_NVLINK_MAX_LINKS, which is 18; numbers that a board lacks are refused */

/* nvmlBAR1Memory_t. */
struct bar1 {
    unsigned long long total, available, used;
};

/* nvmlGpuFabricInfo_t; `state` is one of fabric_words. */
struct fabric {
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
};
static const char *const fabric_words[] = {"not_supported", "not_started", "in_progress", "completed"};

/* nvmlFieldValue_t. */
struct field {
    unsigned id, scope;
    long long timestamp, latency;
    int type, status;
    union {
        double real;
        unsigned u32;
        unsigned long u64;
        unsigned long long u64_long;
        long long i64;
        int i32;
    } value;
};

/* nvmlProcessInfo_t of the functions with _v3. */
struct process {
    unsigned id;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};

/* NVML_FI_DEV_POWER_INSTANT; of the scope 0, the GPU: on boards with a processor NVML may also tell of the
 * module. NVML_FI_DEV_NVLINK_GET_SPEED in MB/s, of the link that is the scope.
 * NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX and the three after it, DATA_RX, RAW_TX, RAW_RX, in KiB since the
 * driver was loaded; the scope ALL_LINKS is their sum. */
enum { FIELD_POWER_INSTANT = 186, FIELD_LINK_SPEED = 164, FIELD_LINK_TRAFFIC = 138 };
#define ALL_LINKS 0xffffffffU

/* Seconds of the past that nvmlDeviceGetPowerUsage is the mean of, on Ampere (but GA100) and later. */
#define POWER_AVERAGED 1.0

/* X(field, name, types of the parameters). */
#define NVML_FUNCTIONS(X)                                                                                    \
    X(init, "nvmlInit_v2", void)                                                                             \
    X(shutdown, "nvmlShutdown", void)                                                                        \
    X(by_address, "nvmlDeviceGetHandleByPciBusId_v2", const char *, nvml_handle *)                           \
    X(driver, "nvmlSystemGetDriverVersion", char *, unsigned)                                                \
    X(vbios, "nvmlDeviceGetVbiosVersion", nvml_handle, char *, unsigned)                                     \
    X(board_part, "nvmlDeviceGetBoardPartNumber", nvml_handle, char *, unsigned)                             \
    X(ecc, "nvmlDeviceGetEccMode", nvml_handle, unsigned *current, unsigned *pending)                        \
    X(mig, "nvmlDeviceGetMigMode", nvml_handle, unsigned *current, unsigned *pending)                        \
    X(fabric, "nvmlDeviceGetGpuFabricInfo", nvml_handle, struct fabric *)                                    \
    X(bar1, "nvmlDeviceGetBAR1MemoryInfo", nvml_handle, struct bar1 *)                                       \
    X(link, "nvmlDeviceGetNvLinkState", nvml_handle, unsigned link, unsigned *active)                        \
    X(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration", nvml_handle, unsigned *)                       \
    X(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth", nvml_handle, unsigned *)                                 \
    X(power_limit, "nvmlDeviceGetPowerManagementLimit", nvml_handle, unsigned *milliwatts)                   \
    X(power_default, "nvmlDeviceGetPowerManagementDefaultLimit", nvml_handle, unsigned *milliwatts)          \
    X(clock_now, "nvmlDeviceGetClockInfo", nvml_handle, unsigned type, unsigned *megahertz)                  \
    X(clock_applied, "nvmlDeviceGetApplicationsClock", nvml_handle, unsigned type, unsigned *megahertz)      \
    X(reasons, "nvmlDeviceGetCurrentClocksEventReasons", nvml_handle, unsigned long long *)                  \
    X(temperature, "nvmlDeviceGetTemperature", nvml_handle, unsigned sensor, unsigned *celsius)              \
    X(power, "nvmlDeviceGetPowerUsage", nvml_handle, unsigned *milliwatts)                                   \
    X(energy, "nvmlDeviceGetTotalEnergyConsumption", nvml_handle, unsigned long long *millijoules)           \
    X(fields, "nvmlDeviceGetFieldValues", nvml_handle, int count, struct field *)                            \
    X(processes, "nvmlDeviceGetComputeRunningProcesses_v3", nvml_handle, unsigned *, struct process *)

struct nvml {
    void *library;
    nvml_handle device;
#define X(field, name, ...) int (*(field))(__VA_ARGS__);
    NVML_FUNCTIONS(X)
#undef X
};

/* POSIX guarantees that an object's address can be a function's; ISO C has no cast for it. */
static void look_up_all(struct nvml *nvml)
{
#define X(field, name, ...) *(void **)&nvml->field = dlsym(nvml->library, name);
    NVML_FUNCTIONS(X)
#undef X
    if (!nvml->reasons) /* its name before driver 535 */
        *(void **)&nvml->reasons = dlsym(nvml->library, "nvmlDeviceGetCurrentClocksThrottleReasons");
}

static void end(struct nvml *nvml)
{
    if (nvml->library)
        dlclose(nvml->library);
    free(nvml);
}

struct nvml *nvml_open(const char *pci_address)
{
    struct nvml *nvml = memory_new(1, sizeof *nvml);
    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (nvml->library)
        look_up_all(nvml);
    if (nvml->init && nvml->by_address && nvml->init() == 0) {
        if (nvml->by_address(pci_address, &nvml->device) == 0)
            return nvml;
        if (nvml->shutdown)
            nvml->shutdown();
    }
    end(nvml);
    return NULL;
}

void nvml_close(struct nvml *nvml)
{
    if (!nvml)
        return;
    if (nvml->shutdown)
        nvml->shutdown();
    end(nvml);
}

/* ---- What does not change during a run ---- */

/* Into a field of struct device; "" if it is not told. */
static void put_text(nvml_handle device, int (*get)(nvml_handle, char *, unsigned), char *out)
{
    if (!get || get(device, out, DEVICE_TEXT_SIZE) != 0)
        out[0] = '\0';
    out[DEVICE_TEXT_SIZE - 1] = '\0';
}

static void put_mode(nvml_handle device, int (*get)(nvml_handle, unsigned *, unsigned *), char *out)
{
    unsigned current, pending;
    if (get && get(device, &current, &pending) == 0)
        snprintf(out, DEVICE_TEXT_SIZE, "%s", current ? "on" : "off");
}

static double number_of(nvml_handle device, int (*get)(nvml_handle, unsigned *), double unit)
{
    unsigned value;
    return get && get(device, &value) == 0 ? unit * value : NAN;
}

static double clock_of(nvml_handle device, int (*get)(nvml_handle, unsigned, unsigned *), unsigned type)
{
    unsigned megahertz;
    return get && get(device, type, &megahertz) == 0 && megahertz ? 1e6 * megahertz : NAN;
}

static void describe_fabric(const struct nvml *nvml, struct device *device)
{
    struct fabric fabric = {.state = 0};
    if (nvml->fabric && nvml->fabric(nvml->device, &fabric) == 0 &&
        fabric.state < sizeof fabric_words / sizeof *fabric_words)
        snprintf(device->fabric, sizeof device->fabric, "%s", fabric_words[fabric.state]);
}

/* Not on the stack, and with room to spare: of two readings a millisecond apart, the second returned to an
 * address that looked like a field's latency in microseconds (driver 580.159.04, links of H100 and H200). */
enum { FIELDS_MAX = 4, FIELDS_ROOM = 16 };
static struct field fields[FIELDS_ROOM];

/* In the field's unit; NaN if the driver does not tell. The type of the value differs between drivers. */
static double value_of(const struct field *field)
{
    if (field->status != 0)
        return NAN;
    switch (field->type) { /* nvmlValueType_t */
    case 0:
        return field->value.real;
    case 1:
        return field->value.u32;
    case 2:
        return (double)field->value.u64;
    case 3:
        return (double)field->value.u64_long;
    case 4:
        return (double)field->value.i64;
    case 5:
        return field->value.i32;
    default:
        return NAN;
    }
}

/* `count` fields with consecutive numbers, at most FIELDS_MAX. NaN when unknown. */
static void read_fields(const struct nvml *nvml, unsigned id, unsigned scope, int count, double *values)
{
    for (int i = 0; i < count; i++)
        fields[i] = (struct field){.id = id + (unsigned)i, .scope = scope, .status = -1};
    bool read = nvml && nvml->fields && nvml->fields(nvml->device, count, fields) == 0;
    for (int i = 0; i < count; i++)
        values[i] = read ? value_of(&fields[i]) : NAN;
}

static double field_of(const struct nvml *nvml, unsigned id, unsigned scope)
{
    double value;
    read_fields(nvml, id, scope, 1, &value);
    return value;
}

/* What a link moves of data, bytes/s one way. NVML's speed includes the encoding: 26562 and 53125 MB/s of
 * NVLink 4 and 5, whose data sheets say 25 and 50 GB/s. */
static double payload_of(double speed)
{
    const double step = 25000;
    return 1e6 * (speed >= step ? floor(speed / step) * step : speed);
}

/* Active links, -1 if NVML tells none, and the sum of what they move one way. */
static int64_t count_links(const struct nvml *nvml, double *speed)
{
    int64_t active = 0, told = 0;
    double sum = 0;
    for (unsigned link = 0; nvml->link && link < LINKS_MAX; link++) {
        unsigned state;
        if (nvml->link(nvml->device, link, &state) != 0)
            continue;
        told++;
        active += state == 1;
        sum += state == 1 ? payload_of(field_of(nvml, FIELD_LINK_SPEED, link)) : 0;
    }
    *speed = sum > 0 ? sum : NAN;
    return told ? active : -1;
}

void nvml_describe(struct nvml *nvml, struct device *device)
{
    struct bar1 bar1;
    if (!nvml)
        return;
    if (!nvml->driver || nvml->driver(device->driver, sizeof device->driver) != 0)
        device->driver[0] = '\0';
    put_text(nvml->device, nvml->vbios, device->vbios);
    put_text(nvml->device, nvml->board_part, device->board_part);
    put_mode(nvml->device, nvml->ecc, device->ecc);
    put_mode(nvml->device, nvml->mig, device->mig);
    describe_fabric(nvml, device);
    if (nvml->bar1 && nvml->bar1(nvml->device, &bar1) == 0)
        device->bar1_bytes = (int64_t)bar1.total;
    device->nvlinks = count_links(nvml, &device->link_nominal);
    device->power_limit = number_of(nvml->device, nvml->power_limit, 1e-3);
    device->power_limit_default = number_of(nvml->device, nvml->power_default, 1e-3);
    device->clock_applied = clock_of(nvml->device, nvml->clock_applied, CLOCK_GRAPHICS);
    device->memory_clock_applied = clock_of(nvml->device, nvml->clock_applied, CLOCK_MEMORY);
}

/* ---- What does ---- */

void nvml_describe_load(struct nvml *nvml, struct device *device)
{
    if (!nvml)
        return;
    device->memory_clock_load = clock_of(nvml->device, nvml->clock_now, CLOCK_MEMORY);
    device->pcie_generation = number_of(nvml->device, nvml->pcie_generation, 1);
    device->pcie_width = number_of(nvml->device, nvml->pcie_width, 1);
}

bool nvml_has_reasons(const struct nvml *nvml)
{
    return nvml && nvml->reasons;
}

uint64_t nvml_reasons(struct nvml *nvml)
{
    unsigned long long reasons = 0;
    if (!nvml_has_reasons(nvml) || nvml->reasons(nvml->device, &reasons) != 0)
        return 0;
    return reasons;
}

struct nvml_state nvml_read(struct nvml *nvml)
{
    struct nvml_state state = {NAN, NAN};
    unsigned celsius;
    if (nvml && nvml->temperature && nvml->temperature(nvml->device, 0, &celsius) == 0)
        state.temperature = celsius;
    if (nvml)
        state.power = number_of(nvml->device, nvml->power, 1e-3);
    return state;
}

double nvml_joules(struct nvml *nvml)
{
    unsigned long long millijoules;
    if (!nvml || !nvml->energy || nvml->energy(nvml->device, &millijoules) != 0)
        return NAN;
    return 1e-3 * (double)millijoules;
}

double nvml_watts(struct nvml *nvml, double *lag)
{
    double instant = nvml ? field_of(nvml, FIELD_POWER_INSTANT, 0) : NAN; /* mW; from driver 535 on */
    *lag = instant > 0 ? 0 : POWER_AVERAGED;
    if (instant > 0)
        return 1e-3 * instant;
    return nvml ? number_of(nvml->device, nvml->power, 1e-3) : NAN;
}

double nvml_sm_clock(struct nvml *nvml)
{
    return nvml ? clock_of(nvml->device, nvml->clock_now, CLOCK_SM) : NAN;
}

struct nvml_traffic nvml_link_traffic(struct nvml *nvml)
{
    double kib[FIELDS_MAX];
    read_fields(nvml, FIELD_LINK_TRAFFIC, ALL_LINKS, FIELDS_MAX, kib);
    return (struct nvml_traffic){1024 * kib[0], 1024 * kib[1], 1024 * kib[2], 1024 * kib[3]};
}

int nvml_processes(struct nvml *nvml, unsigned *id)
{
    struct process all[NVML_PROCESSES_MAX];
    unsigned count = NVML_PROCESSES_MAX;
    if (!nvml || !nvml->processes || nvml->processes(nvml->device, &count, all) != 0)
        return -1;
    count = count < NVML_PROCESSES_MAX ? count : NVML_PROCESSES_MAX;
    for (unsigned i = 0; i < count; i++)
        id[i] = all[i].id;
    return (int)count;
}
