#include "runner/binding.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"

/* The CPUs that process `pid` may use, from /proc; NULL: unknown. */
static hwloc_bitmap_t allowed_of(pid_t pid)
{
    char list[4096];
    if (!io_read_field("Cpus_allowed_list", list, sizeof list, "/proc/%ld/status", (long)pid))
        return NULL;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_list_sscanf(set, list);
    return set;
}

/* Whether `pid` is an MPI launcher, which binds each rank that it starts. */
static bool is_launcher(pid_t pid)
{
    static const char *const names[] = {"orted", "mpirun",  "mpiexec",        "orterun",
                                        "prted", "prterun", "hydra_pmi_proxy"};
    char name[32];
    if (!io_read_line(name, sizeof name, "/proc/%ld/comm", (long)pid))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(names[i], name, 15)) /* the kernel keeps 15 characters */
            return true;
    return false;
}

/* The CPUs of the job on this node: those of the launcher, which has narrowed ours; without a launcher ours,
 * as set by the batch system or taskset. */
static hwloc_bitmap_t allowed_for_job(void)
{
    hwloc_bitmap_t set = is_launcher(getppid()) ? allowed_of(getppid()) : NULL;
    return set ? set : allowed_of(getpid());
}

uint64_t binding_cpus(void)
{
    char list[4096];
    hwloc_bitmap_t set = allowed_for_job();
    if (!set)
        return 0;
    hwloc_bitmap_list_snprintf(list, sizeof list, set);
    hwloc_bitmap_free(set);
    return hash_text(HASH_START, list);
}

/* Narrow `set` to the CPUs near a PCI device, unless that leaves none. */
static void narrow_to_device(hwloc_topology_t topology, const char *pci, hwloc_bitmap_t set)
{
    hwloc_obj_t device = *pci ? hwloc_get_pcidev_by_busidstring(topology, pci) : NULL;
    hwloc_obj_t near = device ? hwloc_get_non_io_ancestor_obj(topology, device) : NULL;
    if (near && hwloc_bitmap_intersects(near->cpuset, set))
        hwloc_bitmap_and(set, set, near->cpuset);
}

hwloc_bitmap_t binding_slice(hwloc_topology_t topology, hwloc_const_bitmap_t set, int share, int shares)
{
    hwloc_bitmap_t slice = hwloc_bitmap_alloc();
    hwloc_obj_type_t type = HWLOC_OBJ_CORE;
    int count = hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, type);
    /* If the set has only some threads of a core, divide threads. */
    hwloc_bitmap_t covered = hwloc_bitmap_alloc();
    for (int i = 0; i < count; i++)
        hwloc_bitmap_or(covered, covered,
                        hwloc_get_obj_inside_cpuset_by_type(topology, set, type, i)->cpuset);
    if (count < shares || !hwloc_bitmap_isequal(covered, set)) {
        type = HWLOC_OBJ_PU;
        count = hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, type);
    }
    hwloc_bitmap_free(covered);
    int first = (int)((long)count * share / shares), end = (int)((long)count * (share + 1) / shares);
    if (count < shares) {
        first = share % (count > 0 ? count : 1);
        end = first + 1;
    }
    for (int i = first; i < end && i < count; i++)
        hwloc_bitmap_or(slice, slice, hwloc_get_obj_inside_cpuset_by_type(topology, set, type, i)->cpuset);
    return slice;
}

void binding_choose(const char *pci, struct config *config)
{
    hwloc_topology_t topology;
    int share = config->share, shares = config->shares;
    config->cpus[0] = '\0';
    config->threads = 1;
    if (shares <= 0 || hwloc_topology_init(&topology) != 0)
        return;
    hwloc_bitmap_t allowed = allowed_for_job();
    if (*pci)
        hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    if (allowed && hwloc_topology_load(topology) == 0) {
        /* Remove CPUs that the control group forbids. */
        hwloc_bitmap_and(allowed, allowed, hwloc_topology_get_allowed_cpuset(topology));
        narrow_to_device(topology, pci, allowed);
        hwloc_bitmap_t slice = binding_slice(topology, allowed, share, shares);
        int threads = hwloc_bitmap_weight(slice);
        int length = hwloc_bitmap_list_snprintf(config->cpus, sizeof config->cpus, slice);
        if (threads < 1 || length >= (int)sizeof config->cpus)
            config->cpus[0] = '\0';
        config->threads = threads > 0 ? threads : 1;
        hwloc_bitmap_free(slice);
    }
    if (allowed)
        hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(topology);
}
