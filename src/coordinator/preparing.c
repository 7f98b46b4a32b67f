#include "coordinator/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "family/family.h"
#include "process/folders.h"

/* ---- Devices ---- */

static void characterise(struct run *run, int rank, enum peaks_part part)
{
    run->team.member[rank].busy = true;
    run->team.member[rank].link_waits = part == PEAKS_OWN_FIRST;
    wire_put_u32(run_begin_message(run), part);
    run_send(run, rank, WIRE_CHARACTERISE);
}

/* Whether the node of this rank has several ranks with a device each, which share only the host link. */
static bool has_own_devices(const struct run *run, int rank)
{
    const struct member *member = run->team.member;
    return run->traits.owns_device && member[member[rank].first_on_node].next_on_node >= 0;
}

/* Whether the job has points that load the host link. Otherwise its peak is not measured. */
static bool loads_link(const struct run *run)
{
    const struct job *job = &run->plan.job;
    for (int i = 0; i < job->sweep_count; i++)
        if (job->sweeps[i].family->node_exclusive)
            return true;
    return false;
}

/* All peaks that a rank without neighbours has to measure. */
static enum peaks_part all_peaks(const struct run *run)
{
    return run->traits.owns_device && !loads_link(run) ? PEAKS_OWN : PEAKS_ALL;
}

/* Characterise the next rank of the node, from this one on, that has not answered. */
static void characterise_next_on_node(struct run *run, int rank)
{
    const struct member *member = run->team.member;
    while (rank >= 0 && (member[rank].answered || member[rank].lost))
        rank = member[rank].next_on_node;
    if (rank >= 0)
        characterise(run, rank, has_own_devices(run, rank) ? PEAKS_LINK : all_peaks(run));
}

static void characterise_all_on_node(struct run *run, int rank, enum peaks_part part)
{
    for (; rank >= 0; rank = run->team.member[rank].next_on_node)
        if (!run->team.member[rank].lost)
            characterise(run, rank, part);
}

void preparing_characterise(struct run *run)
{
    struct team *team = &run->team;
    team_await_answers(team);
    for (int node = 0; node < team->nodes; node++) {
        if (run->traits.makes_up) /* it loads no device */
            characterise_all_on_node(run, team->first[node], PEAKS_ALL);
        else if (has_own_devices(run, team->first[node]))
            characterise_all_on_node(run, team->first[node], loads_link(run) ? PEAKS_OWN_FIRST : PEAKS_OWN);
        else
            characterise_next_on_node(run, team->first[node]);
    }
}

/* The peaks of this device are done or lost. When that holds for the whole node, measure the host links. */
static void go_on_to_links(struct run *run, int rank)
{
    struct team *team = &run->team;
    int first = team->member[rank].first_on_node;
    team->member[rank].link_waits = false;
    for (int other = first; other >= 0; other = team->member[other].next_on_node)
        if (team->member[other].link_waits && !team->member[other].lost)
            return;
    characterise_next_on_node(run, first);
}

static void go_on_after(struct run *run, int rank)
{
    bool all_at_once = run->traits.makes_up || (has_own_devices(run, rank) && !loads_link(run));
    run->team.member[rank].busy = false;
    if (run->team.member[rank].link_waits)
        go_on_to_links(run, rank);
    else if (!all_at_once)
        characterise_next_on_node(run, run->team.member[rank].next_on_node);
}

void preparing_take_device(struct run *run, int rank, struct wire_reader *payload)
{
    struct member *member = &run->team.member[rank];
    if (!member->busy)
        return;
    wire_get_device(payload, &member->device);
    if (!member->link_waits)
        team_answer(&run->team, rank);
    go_on_after(run, rank);
}

/* ---- Kernels ---- */

struct kernel {
    uint64_t key;
    uint32_t index; /* of a point that needs it */
};

static int compare_kernels(const void *left, const void *right)
{
    const struct kernel *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The distinct kernels of the points to measure, for devices like `target`. Returns their number; the caller frees `*kernel`. */
static size_t find_kernels(const struct run_plan *plan, const struct target *target, struct kernel **kernel)
{
    char reason[256];
    size_t all = 0, count = 0;
    struct kernel *found = *kernel = memory_new(2 * plan->todo_count + 1, sizeof *found);
    for (size_t i = 0; i < 2 * plan->todo_count; i++) { /* each, and the second points of pairs */
        uint32_t first = plan->todo[i / 2], index = i % 2 ? grid_partner(plan->grid, first) : first;
        if (index == GRID_ALONE)
            continue;
        struct point point = grid_point(plan->grid, index);
        if (family_skip(&point, target, reason, sizeof reason))
            continue;
        struct setup setup = point_setup(&point, target);
        if (setup_has_code(&setup))
            found[all++] = (struct kernel){family_code_key(&point, target->capability), index};
    }
    qsort(found, all, sizeof *found, compare_kernels);
    for (size_t i = 0; i < all; i++)
        if (!count || found[i].key != found[count - 1].key)
            found[count++] = found[i];
    return count;
}

/* Send a rank its share of the kernels: ranks of its node with devices of its capability have the others, in the same cache folder.
 * Returns their number. */
static size_t send_share(struct run *run, int rank, const struct kernel *kernel, size_t kernels)
{
    struct member *member = run->team.member;
    size_t place = 0, shares = 0;
    for (int other = member[rank].first_on_node; other >= 0; other = member[other].next_on_node)
        if (!member[other].lost && member[other].device.capability == member[rank].device.capability) {
            place += other < rank;
            shares++;
        }
    assert(shares > 0); /* the rank itself is not lost */
    size_t count = kernels > place ? (kernels - place + shares - 1) / shares : 0;
    if (!count)
        return 0;
    struct wire *out = run_begin_message(run);
    wire_put_u32(out, (uint32_t)count);
    for (size_t i = place; i < kernels; i += shares) {
        struct point point = grid_point(run->plan.grid, kernel[i].index);
        wire_put_point(out, &point);
    }
    member[rank].to_compile = count;
    member[rank].busy = true;
    run->compiling++;
    run_send(run, rank, WIRE_COMPILE);
    return count;
}

void preparing_compile(struct run *run)
{
    struct team *team = &run->team;
    struct error unusable;
    struct kernel *kernel = NULL;
    char folder[1024];
    size_t kernels = 0, sent = 0;
    int capability = 0;
    for (int rank = 0; rank < team->count; rank++)
        team->member[rank].device_row = store_device(run->plan.store, &team->member[rank].device);
    if (!run->traits.compiles)
        return;
    if (cache_folder_make(folder, sizeof folder, &unusable) != 0) {
        progress_say(&run->progress, "%s", unusable.text);
        return; /* each point compiles its kernel itself */
    }
    for (int rank = 0; rank < team->count; rank++) {
        struct target target = target_of_device(&team->member[rank].device);
        if (team->member[rank].lost)
            continue;
        if (!kernel || target.capability != capability) {
            free(kernel);
            kernels = find_kernels(&run->plan, &target, &kernel);
            capability = target.capability;
        }
        sent += send_share(run, rank, kernel, kernels);
    }
    free(kernel);
    if (sent)
        progress_say(&run->progress, "compiling %zu kernels", sent);
}

static void end_compiling(struct run *run, int rank)
{
    struct member *member = &run->team.member[rank];
    member->to_compile = 0;
    member->busy = false;
    assert(run->compiling > 0);
    if (!--run->compiling && run->kernels_failed)
        progress_say(&run->progress, "%zu kernels did not compile; their points will fail. The first: %s",
                     run->kernels_failed, run->kernel_log);
}

void preparing_take_compiled(struct run *run, int rank, struct wire_reader *payload)
{
    struct member *member = &run->team.member[rank];
    char log[sizeof run->kernel_log];
    wire_get_u32(payload);
    bool ok = wire_get_u32(payload);
    wire_get_text(payload, log, sizeof log);
    if (!member->to_compile)
        return;
    if (!ok && !run->kernels_failed++)
        memcpy(run->kernel_log, log, sizeof log);
    if (!--member->to_compile)
        end_compiling(run, rank);
}

/* ---- Both ---- */

void preparing_take_failure(struct run *run, int rank, const char *why)
{
    const struct member *member = &run->team.member[rank];
    if (member->busy)
        progress_say(&run->progress, "rank %d on %s: cannot %s: %s", rank, member->home.host,
                     run->compiling ? "compile ahead" : "measure the peaks of the device", why);
    if (member->busy && !run->compiling && !member->link_waits)
        team_answer(&run->team, rank);
    preparing_lose(run, rank);
}

void preparing_lose(struct run *run, int rank)
{
    if (!run->team.member[rank].busy)
        return;
    if (run->compiling)
        end_compiling(run, rank);
    else
        go_on_after(run, rank);
}
