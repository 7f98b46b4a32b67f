#include "worker/machine.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"

#define PATH_SIZE 512

/* Of "always [madvise] never", the word in brackets. */
static void read_transparent(const char *root, char *out, size_t size)
{
    char path[PATH_SIZE], line[128];
    snprintf(path, sizeof path, "%s/sys/kernel/mm/transparent_hugepage/enabled", root);
    const char *open = io_read_line(path, line, sizeof line) ? strchr(line, '[') : NULL;
    if (open)
        snprintf(out, size, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
}

static int64_t read_hugepages(const char *root)
{
    char path[PATH_SIZE], pages[64];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    return io_read_field(path, "HugePages_Total", pages, sizeof pages) ? strtoll(pages, NULL, 10) : -1;
}

/* A device behind an IOMMU has a group; without one the folder of the device lacks the link. */
static void read_iommu(const char *folder, char *out, size_t size)
{
    char path[PATH_SIZE + 32], line[64];
    snprintf(path, sizeof path, "%s/iommu_group", folder);
    if (access(folder, R_OK | X_OK) != 0)
        return;
    if (access(path, F_OK) != 0) {
        snprintf(out, size, "none");
        return;
    }
    snprintf(path, sizeof path, "%s/iommu_group/type", folder);
    if (io_read_line(path, line, sizeof line))
        snprintf(out, size, "%s", line);
}

static int64_t read_node(const char *folder)
{
    char path[PATH_SIZE + 32], line[64];
    snprintf(path, sizeof path, "%s/numa_node", folder);
    return io_read_line(path, line, sizeof line) ? strtoll(line, NULL, 10) : -1;
}

/* Does a line of a file contain a word? */
static bool has_word(const char *path, const char *word)
{
    char line[256];
    FILE *file = fopen(path, "re");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, word) != NULL;
    if (file)
        fclose(file);
    return found;
}

const char *machine_imex(const char *root)
{
    char path[PATH_SIZE];
    glob_t channels = {0};
    bool usable = false;
    snprintf(path, sizeof path, "%s/proc/devices", root);
    if (!has_word(path, "nvidia-caps-imex-channels"))
        return "the driver has no IMEX channels";
    snprintf(path, sizeof path, "%s/dev/nvidia-caps-imex-channels/channel*", root);
    if (glob(path, 0, NULL, &channels) == 0)
        for (size_t i = 0; i < channels.gl_pathc; i++)
            usable |= access(channels.gl_pathv[i], R_OK | W_OK) == 0;
    globfree(&channels);
    return usable ? NULL : "no IMEX channel that can be opened";
}

void machine_describe(const char *root, struct device *device)
{
    struct utsname system;
    char folder[PATH_SIZE];
    if (uname(&system) == 0)
        snprintf(device->host_kernel, sizeof device->host_kernel, "%.30s %.60s", system.sysname,
                 system.release);
    read_transparent(root, device->transparent_hugepages, sizeof device->transparent_hugepages);
    device->hugepages = read_hugepages(root);
    if (!device->pci[0])
        return;
    snprintf(folder, sizeof folder, "%s/sys/bus/pci/devices/%s", root, device->pci);
    read_iommu(folder, device->iommu, sizeof device->iommu);
    device->numa_node = read_node(folder);
}
