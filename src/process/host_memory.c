#include "process/host_memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"

#define FOLDER_SIZE 1024

/* A field of /proc/meminfo in bytes, or -1. */
static int64_t memory_field(const char *root, const char *key)
{
    char value[64];
    if (!io_read_field(key, value, sizeof value, "%s/proc/meminfo", root))
        return -1;
    return strtoll(value, NULL, 10) * 1024;
}

/* ---- Control groups: files of version 1, and of version 2 ---- */

static const struct version {
    const char *groups, *line; /* where they are; what is before the path of one in /proc/self/cgroup */
    const char *limit, *used, *inactive, *events;
} versions[] = {
    {"/sys/fs/cgroup/memory", ":memory:", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file", "memory.oom_control"},
    {"/sys/fs/cgroup", "0::", "memory.max", "memory.current", "inactive_file", "memory.events"},
};

/* The number behind `key` in a file of the group; NULL: the file has one number. -1: none. */
static int64_t group_number(const char *group, const char *file, const char *key)
{
    char path[FOLDER_SIZE + 64], line[256], name[64];
    int64_t number = -1;
    snprintf(path, sizeof path, "%s/%s", group, file);
    if (!key)
        return io_read_line(line, sizeof line, "%s", path) && sscanf(line, "%" SCNd64, &number) == 1 ? number
                                                                                                     : -1;
    FILE *in = fopen(path, "re");
    for (bool found = false; in && !found && fgets(line, sizeof line, in);) {
        int64_t value;
        found = sscanf(line, "%63s %" SCNd64, name, &value) == 2 && !strcmp(name, key);
        number = found ? value : -1;
    }
    if (in)
        fclose(in);
    return number;
}

/* The folder of this process's group; false: none of this version. */
static bool find_group(const char *root, const struct version *version, char folder[FOLDER_SIZE])
{
    char path[FOLDER_SIZE], line[FOLDER_SIZE / 2];
    bool found = false;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, version->line);
        found = at && (at == line || version->line[0] == ':');
        if (found)
            snprintf(folder, FOLDER_SIZE, "%s%s%.*s", root, version->groups,
                     (int)strcspn(at + strlen(version->line), "\n"), at + strlen(version->line));
    }
    if (file)
        fclose(file);
    return found;
}

/* What a group leaves beside what is in use; files that were read can be dropped. */
static void heed_group(struct host_memory *memory, const char *folder, const struct version *version)
{
    int64_t limit = group_number(folder, version->limit, NULL);
    int64_t used = group_number(folder, version->used, NULL);
    int64_t inactive = group_number(folder, "memory.stat", version->inactive);
    if (limit < 0)
        return;
    used -= inactive > 0 && inactive < used ? inactive : 0;
    uint64_t left = used < limit ? (uint64_t)(limit - used) : 0;
    if (used < 0)
        left = (uint64_t)limit;
    if (memory->limit < 0 || limit < memory->limit)
        memory->limit = limit;
    if (left < memory->available)
        memory->available = left;
}

/* The group, and those around it. In a container the group's own folder may be missing; those around it are
 * the container's. */
static void heed_groups(struct host_memory *memory, const char *root, const struct version *version)
{
    char folder[FOLDER_SIZE];
    size_t shortest = strlen(root) + strlen(version->groups);
    if (!find_group(root, version, folder))
        return;
    if (memory->kills < 0)
        memory->kills = group_number(folder, version->events, "oom_kill");
    for (; strlen(folder) >= shortest; *strrchr(folder, '/') = '\0')
        heed_group(memory, folder, version);
}

struct host_memory host_memory_read(const char *root)
{
    int64_t available = memory_field(root, "MemAvailable");
    struct host_memory memory = {.limit = -1,
                                 .total = memory_field(root, "MemTotal"),
                                 .available = available < 0 ? UINT64_MAX : (uint64_t)available,
                                 .kills = -1};
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++)
        heed_groups(&memory, root, &versions[v]);
    if (memory.total < 0 || (memory.limit >= 0 && memory.limit < memory.total))
        memory.total = memory.limit;
    else
        memory.limit = -1; /* version 1 has a huge one in place of none */
    return memory;
}
