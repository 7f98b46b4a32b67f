#include "worker/host/host_device.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "worker/machine.h"

#define CACHE_INSTANCES_MAX 256

/* The first line of a small file of /proc or /sys, without its newline. */
static bool read_line(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool got = fgets(out, (int)size, file) != NULL;
    fclose(file);
    if (got)
        out[strcspn(out, "\n")] = '\0';
    return got;
}

/* The value of "key : value" in a file of such lines (/proc/cpuinfo, /proc/meminfo). */
static bool read_field(const char *path, const char *key, char *out, size_t size)
{
    char line[256];
    bool found = false;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    while (!found && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !colon)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(out, size, "%s", colon);
        found = true;
    }
    fclose(file);
    return found;
}

/* A field of /proc/meminfo in bytes, or -1. */
static int64_t memory_field(const char *key)
{
    char value[64];
    if (!read_field("/proc/meminfo", key, value, sizeof value))
        return -1;
    return strtoll(value, NULL, 10) * 1024;
}

/* The lowest limit along one path of control groups; -1 when there is none. */
static int64_t group_limit(const char *root, const char *path, const char *file)
{
    char folder[512], name[640], value[64];
    int64_t lowest = -1;
    snprintf(folder, sizeof folder, "%s", path);
    for (;;) {
        snprintf(name, sizeof name, "%s%s/%s", root, folder, file);
        if (read_line(name, value, sizeof value) && value[0] >= '0' && value[0] <= '9') {
            int64_t limit = strtoll(value, NULL, 10);
            if (lowest < 0 || limit < lowest)
                lowest = limit;
        }
        char *slash = strrchr(folder, '/');
        if (!slash)
            return lowest;
        *slash = '\0';
    }
}

/* The memory limit of this process's control groups (version 2: "0::/path"; version 1: "4:memory:/path"). */
static int64_t memory_limit(void)
{
    char line[512];
    int64_t lowest = -1;
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return -1;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        int64_t limit = -1;
        char *memory = strstr(line, ":memory:");
        if (!strncmp(line, "0::", 3))
            limit = group_limit("/sys/fs/cgroup", line + 3, "memory.max");
        else if (memory)
            limit = group_limit("/sys/fs/cgroup/memory", memory + 8, "memory.limit_in_bytes");
        if (limit >= 0 && (lowest < 0 || limit < lowest))
            lowest = limit;
    }
    fclose(file);
    return lowest;
}

uint64_t host_memory_available(void)
{
    int64_t available = memory_field("MemAvailable"), limit = memory_limit();
    uint64_t bytes = available < 0 ? UINT64_MAX : (uint64_t)available;
    return limit >= 0 && (uint64_t)limit < bytes ? (uint64_t)limit : bytes;
}

/* The highest-level data cache of one CPU: which CPUs share it (its identity) and its size. */
static bool last_level_cache(int cpu, char *shared, size_t size, int64_t *bytes)
{
    int highest = 0;
    for (int index = 0; index < 10; index++) {
        char path[128], value[64], type[32];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/level", cpu, index);
        if (!read_line(path, value, sizeof value))
            break;
        int level = atoi(value);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/type", cpu, index);
        if (!read_line(path, type, sizeof type) || !strcmp(type, "Instruction") || level <= highest)
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/size", cpu, index);
        if (!read_line(path, value, sizeof value))
            continue;
        char *unit;
        *bytes = strtoll(value, &unit, 10) * (*unit == 'M' ? 1 << 20 : *unit == 'K' ? 1 << 10 : 1);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", cpu,
                 index);
        if (!read_line(path, shared, size))
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
    char model[DEVICE_TEXT_SIZE];
    snprintf(device.backend, sizeof device.backend, "host");
    gethostname(device.host, sizeof device.host - 1);
    /* aarch64 kernels give no model name */
    if (read_field("/proc/cpuinfo", "model name", model, sizeof model))
        snprintf(device.name, sizeof device.name, "%s", model);
    if (uname(&system) == 0) {
        if (!device.name[0])
            snprintf(device.name, sizeof device.name, "%s processor", system.machine);
        snprintf(device.driver, sizeof device.driver, "%.30s %.60s", system.sysname, system.release);
    }
    snprintf(device.uuid, sizeof device.uuid, "host-%.90s", device.host);
    machine_describe("", &device);
    device.ordinal = 0;
    device.capability = 0;
    device.memory_bytes = memory_field("MemTotal");
    int64_t limit = memory_limit();
    if (limit >= 0 && (device.memory_bytes < 0 || limit < device.memory_bytes))
        device.memory_bytes = limit;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
        device.multiprocessors = CPU_COUNT(&cpus);
        device.l2_bytes = cache_bytes(&cpus);
    }
    return device;
}
