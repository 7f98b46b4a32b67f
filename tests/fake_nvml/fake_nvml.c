/* fake_nvml.c - an NVML as the worker loads it, with one board. FAKE_NVML says what it does:
 *   (not set)  everything is told
 *   refuse     every reading of the board fails, as without permission or on a part of a GPU
 *   nothing    no board at the address
 *   average    no instant power, as drivers before 535 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6 };
typedef struct board *handle;

struct bar1 {
    unsigned long long total, available, used;
};
struct fabric {
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
};

struct field {
    unsigned id, scope;
    long long timestamp, latency;
    int type, status;
    union {
        double real;
        unsigned u32;
        unsigned long long u64;
    } value;
};

static int does(const char *what)
{
    const char *named = getenv("FAKE_NVML");
    return named && !strcmp(named, what);
}

static int answer(void)
{
    return does("refuse") ? NOT_SUPPORTED : SUCCESS;
}

static int put_text(const char *text, char *out, unsigned size)
{
    snprintf(out, size, "%s", text);
    return answer();
}

static int put_number(unsigned number, unsigned *out)
{
    *out = number;
    return answer();
}

int nvmlInit_v2(void)
{
    return SUCCESS;
}

int nvmlShutdown(void)
{
    return SUCCESS;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, handle *device)
{
    *device = NULL;
    return does("nothing") || strcmp(address, "0000:1b:00.0") != 0 ? NOT_FOUND : SUCCESS;
}

int nvmlSystemGetDriverVersion(char *out, unsigned size)
{
    return put_text("580.65.06", out, size);
}

/* Functions that tell a text, a number, a mode in force and the other one pending, or one clock of memory and
 * one of the rest. */
#define TEXT(name, text)                                                                                     \
    int name(handle device, char *out, unsigned size)                                                        \
    {                                                                                                        \
        return put_text(text, out, size);                                                                    \
    }
#define NUMBER(name, number)                                                                                 \
    int name(handle device, unsigned *out)                                                                   \
    {                                                                                                        \
        return put_number(number, out);                                                                      \
    }
#define MODE(name, mode)                                                                                     \
    int name(handle device, unsigned *current, unsigned *pending)                                            \
    {                                                                                                        \
        *pending = !(mode);                                                                                  \
        return put_number(mode, current);                                                                    \
    }
#define CLOCK(name, memory, other)                                                                           \
    int name(handle device, unsigned type, unsigned *megahertz)                                              \
    {                                                                                                        \
        return put_number(type == 2 ? (memory) : (other), megahertz);                                        \
    }
TEXT(nvmlDeviceGetVbiosVersion, "96.00.D0.00.01")
TEXT(nvmlDeviceGetBoardPartNumber, "692-2G520-0280-001")
MODE(nvmlDeviceGetEccMode, 1)
MODE(nvmlDeviceGetMigMode, 0)
NUMBER(nvmlDeviceGetPowerManagementLimit, 600000)
NUMBER(nvmlDeviceGetPowerManagementDefaultLimit, 700000)
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, 5)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, 16)
NUMBER(nvmlDeviceGetPowerUsage, 345678)
CLOCK(nvmlDeviceGetClockInfo, 3201, 1980)
CLOCK(nvmlDeviceGetApplicationsClock, 3200, 1755)

int nvmlDeviceGetGpuFabricInfo(handle device, struct fabric *fabric)
{
    memset(fabric, 0xff, sizeof *fabric); /* padding included: only the byte counts */
    fabric->state = 3;
    return answer();
}

int nvmlDeviceGetBAR1MemoryInfo(handle device, struct bar1 *bar1)
{
    *bar1 = (struct bar1){1ULL << 38, 1ULL << 37, 1ULL << 37};
    return answer();
}

/* The third of 18 links is down. */
int nvmlDeviceGetNvLinkState(handle device, unsigned link, unsigned *active)
{
    *active = link != 2;
    return link < 18 ? answer() : NOT_SUPPORTED;
}

int nvmlDeviceGetTotalEnergyConsumption(handle device, unsigned long long *millijoules)
{
    *millijoules = 1ULL << 40;
    return answer();
}

struct process {
    unsigned id;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(handle device, unsigned *count, struct process *process)
{
    process[0] = (struct process){.id = 41};
    process[1] = (struct process){.id = 42, .memory = 1 << 30};
    *count = 2;
    return answer();
}

/* Each reading has another type, as each driver may. */
int nvmlDeviceGetFieldValues(handle device, int count, struct field *field)
{
    static int reading;
    if (field->id == 164 && field->scope < 18) { /* the speed of a link, MB/s with its encoding */
        field->status = SUCCESS;
        field->type = 1;
        field->value.u32 = 53125;
        return count == 1 ? answer() : NOT_SUPPORTED;
    }
    field->status = does("average") || field->id != 186 || field->scope != 0 ? NOT_SUPPORTED : SUCCESS;
    field->type = reading++ % 4;
    if (field->type == 0)
        field->value.real = 412500;
    else if (field->type == 1)
        field->value.u32 = 412500;
    else
        field->value.u64 = 412500;
    return count == 1 ? answer() : NOT_SUPPORTED;
}
