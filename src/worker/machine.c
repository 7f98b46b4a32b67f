#include "worker/machine.h"

#include <ctype.h>
#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "worker/node.h"

#define PATH_SIZE 512

/* Of "always [madvise] never", the word in brackets. */
static void read_transparent(const char *root, char *out, size_t size)
{
    char line[128];
    bool known = io_read_line(line, sizeof line, "%s/sys/kernel/mm/transparent_hugepage/enabled", root);
    const char *open = known ? strchr(line, '[') : NULL;
    if (open)
        snprintf(out, size, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
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
    if (io_read_line(line, sizeof line, "%s/iommu_group/type", folder))
        snprintf(out, size, "%s", line);
}

void machine_describe(const char *root, struct device *device)
{
    struct utsname system;
    char folder[PATH_SIZE], line[64];
    if (uname(&system) == 0)
        snprintf(device->host_kernel, sizeof device->host_kernel, "%.30s %.60s", system.sysname,
                 system.release);
    node_describe(root, device);
    read_transparent(root, device->transparent_hugepages, sizeof device->transparent_hugepages);
    const bool told = io_read_field("HugePages_Total", line, sizeof line, "%s/proc/meminfo", root);
    device->hugepages = told ? strtoll(line, NULL, 10) : -1;
    if (!device->pci[0])
        return;
    snprintf(folder, sizeof folder, "%s/sys/bus/pci/devices/%s", root, device->pci);
    read_iommu(folder, device->iommu, sizeof device->iommu);
    const bool placed = io_read_line(line, sizeof line, "%s/numa_node", folder);
    device->numa_node = placed ? strtoll(line, NULL, 10) : -1;
}

/* ---- The CPUs of this process ---- */

#define CPUS_MAX 8192

static bool parse_list(const char *list, cpu_set_t *set, size_t size)
{
    CPU_ZERO_S(size, set);
    for (char *end;; list = end + 1) {
        unsigned long first = strtoul(list, &end, 10), last = first;
        bool number = isdigit((unsigned char)*list);
        if (number && *end == '-') {
            number = isdigit((unsigned char)end[1]);
            last = strtoul(end + 1, &end, 10);
        }
        if (!number || last < first || last >= CPUS_MAX || (*end && *end != ','))
            return false;
        for (unsigned long cpu = first; cpu <= last; cpu++)
            CPU_SET_S(cpu, size, set);
        if (!*end)
            return true;
    }
}

int affinity_bind(const char *list, struct error *error)
{
    int failed = 0;
    if (!*list)
        return 0;
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
    if (!set)
        return error_set(error, ERROR_ENVIRONMENT, "no memory for a CPU set");
    if (!parse_list(list, set, size))
        failed = error_set(error, ERROR_ENVIRONMENT, "'%.80s' is not a list of CPUs", list);
    else if (sched_setaffinity(0, size, set) != 0)
        failed = error_set(error, ERROR_ENVIRONMENT, "cannot bind to CPUs %.80s: %s", list, strerror(errno));
    CPU_FREE(set);
    return failed;
}

/* ---- Memory on a node ---- */

#define PAGE      4096 /* bytes, at least */
#define NODE_BITS 64
enum { CHECKS = 64 }; /* pages that are looked at, evenly spread */

static int describe(int node, struct error *error)
{
    char nodes[64];
    int number = errno;
    if (!io_read_line(nodes, sizeof nodes, "/sys/devices/system/node/has_memory"))
        snprintf(nodes, sizeof nodes, "unknown");
    if (number == EINVAL) /* also outside of the process's cpuset */
        return error_set(error, ERROR_ENVIRONMENT,
                         "host memory cannot lie on NUMA node %d: the nodes with memory are %s", node, nodes);
    return error_set(error, ERROR_ENVIRONMENT, "host memory cannot be bound to NUMA node %d: %s%s", node,
                     strerror(number),
                     number == EPERM || number == ENOSYS ? " (a container may need CAP_SYS_NICE)" : "");
}

/* Bound pages never come from another node. Looked at all the same: a figure by node would be wrong without
 * notice. */
static int check_pages(char *pages, size_t bytes, int node, struct error *error)
{
    void *page[CHECKS];
    int at[CHECKS];
    for (size_t i = 0; i < CHECKS; i++) {
        page[i] = pages + bytes / CHECKS * i / PAGE * PAGE;
        at[i] = -1;
    }
    if (syscall(SYS_move_pages, 0, (unsigned long)CHECKS, page, NULL, at, 0) != 0)
        return describe(node, error);
    for (int i = 0; i < CHECKS; i++)
        if (at[i] != node)
            return error_set(error, ERROR_ENVIRONMENT, "host memory bound to NUMA node %d lies on node %d",
                             node, at[i]);
    return 0;
}

void *numa_pages_new(size_t bytes, int node, struct error *error)
{
    unsigned long mask = 1UL << node;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        error_set(error, ERROR_ENVIRONMENT, "the host has no %.4g GiB of memory free",
                  (double)bytes / 0x1p30);
        return NULL;
    }
    madvise(pages, bytes, MADV_HUGEPAGE); /* without it things work all the same */
    int failed = 0;
    if (syscall(SYS_mbind, pages, bytes, MPOL_BIND, &mask, (unsigned long)NODE_BITS + 1, 0U) != 0)
        failed = describe(node, error);
    if (!failed) {
        memset(pages, 0, bytes); /* a page is placed when it is touched */
        failed = check_pages(pages, bytes, node, error);
    }
    if (!failed)
        return pages;
    munmap(pages, bytes);
    return NULL;
}

int numa_check(const struct setup *setup, struct error *error)
{
    for (int b = 0; b < setup->buffers; b++) {
        if (!setup->buffer[b].numa)
            continue;
        void *page = numa_pages_new(PAGE, setup->buffer[b].numa - 1, error);
        if (!page)
            return -1;
        munmap(page, PAGE);
    }
    return 0;
}
