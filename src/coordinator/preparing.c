#include "coordinator/preparing.h"

#include <assert.h>

/* ---- Devices ---- */

static void characterise(struct coordinator_context *context, int rank, enum peaks_part part)
{
    context->team.member[rank].busy = true;
    context->team.member[rank].link_waits = part == PEAKS_OWN_FIRST;
    wire_put_u32(context_begin_message(context), part);
    context_send(context, rank, MESSAGE_CHARACTERISE);
}

/* Whether the node of this rank has several ranks with a device each, which share only the host link. */
static bool has_own_devices(const struct coordinator_context *context, int rank)
{
    const struct member *member = context->team.member;
    return context->traits.owns_device && member[member[rank].first_on_node].next_on_node >= 0;
}

/* Whether the job has points that load the host link. Otherwise its peak is not measured. */
static bool loads_link(const struct coordinator_context *context)
{
    const struct job *job = &context->plan.job;
    for (int i = 0; i < job->sweep_count; i++)
        if (job->sweeps[i].family->node_exclusive)
            return true;
    return false;
}

/* All peaks that a rank without neighbours has to measure. */
static enum peaks_part all_peaks(const struct coordinator_context *context)
{
    return context->traits.owns_device && !loads_link(context) ? PEAKS_OWN : PEAKS_ALL;
}

/* Characterise the next rank of the node, from this one on, that has not answered. */
static void characterise_next_on_node(struct coordinator_context *context, int rank)
{
    const struct member *member = context->team.member;
    while (rank >= 0 && (member[rank].answered || member[rank].lost))
        rank = member[rank].next_on_node;
    if (rank >= 0)
        characterise(context, rank, has_own_devices(context, rank) ? PEAKS_LINK : all_peaks(context));
}

static void characterise_all_on_node(struct coordinator_context *context, int rank, enum peaks_part part)
{
    for (; rank >= 0; rank = context->team.member[rank].next_on_node)
        if (!context->team.member[rank].lost)
            characterise(context, rank, part);
}

void preparing_characterise(struct coordinator_context *context)
{
    struct team *team = &context->team;
    team_await_answers(team);
    for (int node = 0; node < team->nodes; node++) {
        if (context->traits.makes_up) /* it loads no device */
            characterise_all_on_node(context, team->first[node], PEAKS_ALL);
        else if (has_own_devices(context, team->first[node]))
            characterise_all_on_node(context, team->first[node],
                                     loads_link(context) ? PEAKS_OWN_FIRST : PEAKS_OWN);
        else
            characterise_next_on_node(context, team->first[node]);
    }
}

/* The peaks of this device are done or lost. When that holds for the whole node, measure the host links. */
static void go_on_to_links(struct coordinator_context *context, int rank)
{
    struct team *team = &context->team;
    int first = team->member[rank].first_on_node;
    team->member[rank].link_waits = false;
    for (int other = first; other >= 0; other = team->member[other].next_on_node)
        if (team->member[other].link_waits && !team->member[other].lost)
            return;
    characterise_next_on_node(context, first);
}

static void go_on_after(struct coordinator_context *context, int rank)
{
    bool all_at_once = context->traits.makes_up || (has_own_devices(context, rank) && !loads_link(context));
    context->team.member[rank].busy = false;
    if (context->team.member[rank].link_waits)
        go_on_to_links(context, rank);
    else if (!all_at_once)
        characterise_next_on_node(context, context->team.member[rank].next_on_node);
}

void preparing_take_device(struct coordinator_context *context, int rank, struct wire_reader *payload)
{
    struct member *member = &context->team.member[rank];
    struct device device;
    char why[512];
    bool ok = wire_get_u32(payload);
    wire_get_device(payload, &device);
    wire_get_text(payload, why, sizeof why);
    if (!member->busy)
        return;
    if (ok)
        member->device = device;
    else
        progress_say(&context->progress, "rank %d on %s: cannot measure the peaks of the device: %s", rank,
                     member->host, why);
    if (!member->link_waits)
        team_answer(&context->team, rank);
    go_on_after(context, rank);
}

/* ---- Kernels ---- */

/* Send a rank its next kernels to compile, if there are any. */
static void hand_out(struct preparing *preparing, struct coordinator_context *context, int rank)
{
    uint32_t index[MESSAGE_COMPILE_MAX];
    int count = kernel_queue_take(preparing->queue, rank, index);
    if (!count)
        return;
    struct wire *out = context_begin_message(context);
    wire_put_u32(out, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        struct point point = grid_point(context->plan.grid, index[i]);
        wire_put_point(out, &point);
    }
    context->team.member[rank].busy = true;
    preparing->busy++;
    context_send(context, rank, MESSAGE_COMPILE);
}

void preparing_compile(struct preparing *preparing, struct coordinator_context *context, bool cached)
{
    struct team *team = &context->team;
    for (int rank = 0; rank < team->count; rank++)
        team->member[rank].device_row = store_device(context->plan.store, &team->member[rank].device);
    if (!cached)
        return; /* each point compiles its kernel itself */
    preparing->queue = kernel_queue_new(&context->plan, team);
    if (kernel_queue_count(preparing->queue))
        progress_say(&context->progress, "compiling %zu kernels", kernel_queue_count(preparing->queue));
    for (int rank = 0; rank < team->count; rank++)
        if (!team->member[rank].lost)
            hand_out(preparing, context, rank);
}

void preparing_take_compiled(struct preparing *preparing, struct coordinator_context *context, int rank,
                             struct wire_reader *payload)
{
    struct member *member = &context->team.member[rank];
    char log[1024];
    uint32_t bad = wire_get_u32(payload);
    wire_get_text(payload, log, sizeof log);
    if (!member->busy || !preparing->busy)
        return;
    if (bad && context->failures_shown++ < FAILURES_SHOWN)
        progress_say(&context->progress, "%u kernels did not compile; their points will fail. The first: %s",
                     bad, log);
    member->busy = false;
    assert(preparing->busy > 0);
    preparing->busy--;
    hand_out(preparing, context, rank);
}

bool preparing_is_compiled(const struct preparing *preparing)
{
    return preparing->busy == 0;
}

/* ---- Both ---- */

void preparing_lose(struct preparing *preparing, struct coordinator_context *context, int rank)
{
    if (!context->team.member[rank].busy)
        return;
    if (preparing->busy) {
        context->team.member[rank].busy = false;
        preparing->busy--;
    } else {
        go_on_after(context, rank);
    }
}

void preparing_end(struct preparing *preparing)
{
    kernel_queue_free(preparing->queue);
    preparing->queue = NULL;
}
