#include "coordinator/run.h"

#include <assert.h>

#include "process/cache_folder.h"

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

static void end_peaks(struct run *run, int rank)
{
    if (!run->team.member[rank].link_waits)
        team_answer(&run->team, rank);
    go_on_after(run, rank);
}

void preparing_take_device(struct run *run, int rank, struct wire_reader *payload)
{
    struct member *member = &run->team.member[rank];
    if (!member->busy)
        return;
    wire_get_device(payload, &member->device);
    end_peaks(run, rank);
}

void preparing_take_failure(struct run *run, int rank, const char *why)
{
    const struct member *member = &run->team.member[rank];
    if (!member->busy)
        return;
    progress_say(&run->progress, "rank %d on %s: cannot measure the peaks of the device: %s", rank,
                 member->home.host, why);
    end_peaks(run, rank);
}

/* ---- Kernels ---- */

/* Send a rank its next kernels to compile, if there are any. */
static void hand_out(struct run *run, int rank)
{
    uint32_t index[WIRE_COMPILE_MAX];
    int count = kernel_queue_take(run->kernels, rank, index);
    if (!count)
        return;
    struct wire *out = run_begin_message(run);
    wire_put_u32(out, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        struct point point = grid_point(run->plan.grid, index[i]);
        wire_put_point(out, &point);
    }
    run->team.member[rank].busy = true;
    run->compiling++;
    run_send(run, rank, WIRE_COMPILE);
}

void preparing_compile(struct run *run)
{
    struct team *team = &run->team;
    char folder[1024];
    struct error unusable;
    for (int rank = 0; rank < team->count; rank++)
        team->member[rank].device_row = store_device(run->plan.store, &team->member[rank].device);
    if (!run->traits.compiles)
        return;
    if (cache_folder_make(folder, sizeof folder, &unusable) !=
        0) { /* each point compiles its kernel itself */
        progress_say(&run->progress, "%s", unusable.text);
        return;
    }
    run->kernels = kernel_queue_new(run);
    if (kernel_queue_count(run->kernels))
        progress_say(&run->progress, "compiling %zu kernels", kernel_queue_count(run->kernels));
    for (int rank = 0; rank < team->count; rank++)
        if (!team->member[rank].lost)
            hand_out(run, rank);
}

void preparing_take_compiled(struct run *run, int rank, struct wire_reader *payload)
{
    struct member *member = &run->team.member[rank];
    char log[1024];
    uint32_t bad = wire_get_u32(payload);
    wire_get_text(payload, log, sizeof log);
    if (!member->busy || !run->compiling)
        return;
    if (bad && run->failures_shown++ < FAILURES_SHOWN)
        progress_say(&run->progress, "%u kernels did not compile; their points will fail. The first: %s", bad,
                     log);
    member->busy = false;
    assert(run->compiling > 0);
    run->compiling--;
    hand_out(run, rank);
}

/* ---- Both ---- */

void preparing_lose(struct run *run, int rank)
{
    if (!run->team.member[rank].busy)
        return;
    if (run->compiling) {
        run->team.member[rank].busy = false;
        run->compiling--;
    } else {
        go_on_after(run, rank);
    }
}
