#include "worker/host/host.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "process/host_memory.h"
#include "worker/machine.h"
#include "worker/node.h"

#define CACHE_INSTANCES_MAX 256

static bool cache_field(int cpu, int index, const char *field, char *out, size_t size)
{
    return io_read_line(out, size, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index, field);
}

/* The highest-level data cache of one CPU: which CPUs share it (its identity) and its size. */
static bool last_level_cache(int cpu, char *shared, size_t size, int64_t *bytes)
{
    char value[64], type[32], *unit;
    int highest = 0;
    for (int index = 0; index < 10 && cache_field(cpu, index, "level", value, sizeof value); index++) {
        int level = atoi(value);
        if (!cache_field(cpu, index, "type", type, sizeof type) || !strcmp(type, "Instruction") ||
            level <= highest || !cache_field(cpu, index, "size", value, sizeof value))
            continue;
        *bytes = strtoll(value, &unit, 10);
        if (*unit == 'M' || *unit == 'K')
            *bytes *= *unit == 'M' ? 1 << 20 : 1 << 10;
        if (!cache_field(cpu, index, "shared_cpu_list", shared, size))
            snprintf(shared, size, "%d", cpu);
        highest = level;
    }
    return highest > 0;
}

/* Bytes of all distinct last-level caches of the CPUs in `cpus`, or -1 when the kernel does not tell. */
static int64_t cache_bytes(const cpu_set_t *cpus)
{
    char seen[CACHE_INSTANCES_MAX][64];
    int instances = 0;
    int64_t total = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        char shared[64];
        int64_t bytes = 0;
        if (!CPU_ISSET(cpu, cpus) || !last_level_cache(cpu, shared, sizeof shared, &bytes))
            continue;
        int i = 0;
        while (i < instances && strcmp(seen[i], shared) != 0)
            i++;
        if (i < instances || instances == CACHE_INSTANCES_MAX)
            continue;
        snprintf(seen[instances++], sizeof seen[0], "%s", shared);
        total += bytes;
    }
    return instances ? total : -1;
}

struct device host_device(void)
{
    struct device device = device_unknown();
    struct utsname system;
    cpu_set_t cpus;
    snprintf(device.backend, sizeof device.backend, "host");
    gethostname(device.host, sizeof device.host - 1);
    node_processor("", device.name, sizeof device.name);
    if (uname(&system) == 0) {
        if (!device.name[0])
            snprintf(device.name, sizeof device.name, "%s processor", system.machine);
        snprintf(device.driver, sizeof device.driver, "%.30s %.60s", system.sysname, system.release);
    }
    snprintf(device.uuid, sizeof device.uuid, "host-%.90s", device.host);
    machine_describe("", &device);
    device.ordinal = 0;
    device.capability = 0;
    device.memory_bytes = host_memory_read("").total;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
        device.multiprocessors = CPU_COUNT(&cpus);
        device.l2_bytes = cache_bytes(&cpus);
    }
    return device;
}
