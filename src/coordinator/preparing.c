#include "coordinator/preparing.h"

/* ---- Devices ---- */

static void ask_device(struct coordinator_context *context, int rank, enum peaks_part part)
{
    context->team.member[rank].busy = true;
    context->team.member[rank].link_waits = part == PEAKS_OWN_FIRST;
    wire_put_u32(context_begin_message(context), part);
    context_send(context, rank, MESSAGE_CHARACTERISE);
}

/* Do its ranks share nothing but the link to the host? A rank that is alone has nobody to wait for. */
static bool has_own_devices(const struct coordinator_context *context, int rank)
{
    const struct member *member = context->team.member;
    return context->traits.owns_device && member[member[rank].first_on_node].next_on_node >= 0;
}

/* Has the job points that load the link to the host? Where it has none, nobody asks what the link does at best. */
static bool loads_link(const struct coordinator_context *context)
{
    const struct job *job = &context->plan.job;
    for (int i = 0; i < job->sweep_count; i++)
        if (job->sweeps[i].family->node_exclusive)
            return true;
    return false;
}

/* All of what such a rank has to measure, at once. */
static enum peaks_part all_of_it(const struct coordinator_context *context)
{
    return context->traits.owns_device && !loads_link(context) ? PEAKS_OWN : PEAKS_ALL;
}

/* The first rank from here on along its node that has not been asked, and may be. */
static void ask_next_on_node(struct coordinator_context *context, int rank)
{
    const struct member *member = context->team.member;
    while (rank >= 0 && (member[rank].answered || member[rank].lost))
        rank = member[rank].next_on_node;
    if (rank >= 0)
        ask_device(context, rank, has_own_devices(context, rank) ? PEAKS_LINK : all_of_it(context));
}

static void ask_all_on_node(struct coordinator_context *context, int rank, enum peaks_part part)
{
    for (; rank >= 0; rank = context->team.member[rank].next_on_node)
        if (!context->team.member[rank].lost)
            ask_device(context, rank, part);
}

void preparing_characterise(struct coordinator_context *context)
{
    struct team *team = &context->team;
    team_await_answers(team);
    for (int node = 0; node < team->nodes; node++) {
        if (context->traits.makes_up) /* it loads nothing */
            ask_all_on_node(context, team->first[node], PEAKS_ALL);
        else if (has_own_devices(context, team->first[node]))
            ask_all_on_node(context, team->first[node], loads_link(context) ? PEAKS_OWN_FIRST : PEAKS_OWN);
        else
            ask_next_on_node(context, team->first[node]);
    }
}

/* Its own peaks are there, or never will be: the links' turn comes when that is so of the whole node. */
static void go_on_to_links(struct coordinator_context *context, int rank)
{
    struct team *team = &context->team;
    int first = team->member[rank].first_on_node;
    team->member[rank].link_waits = false;
    for (int other = first; other >= 0; other = team->member[other].next_on_node)
        if (team->member[other].link_waits && !team->member[other].lost)
            return;
    ask_next_on_node(context, first);
}

static void go_on_after(struct coordinator_context *context, int rank)
{
    bool all_were_asked =
        context->traits.makes_up || (has_own_devices(context, rank) && !loads_link(context));
    context->team.member[rank].busy = false;
    if (context->team.member[rank].link_waits)
        go_on_to_links(context, rank);
    else if (!all_were_asked)
        ask_next_on_node(context, context->team.member[rank].next_on_node);
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
        progress_say(&context->progress, "rank %d on %s: the device's peaks are unknown: %s", rank,
                     member->host, why);
    if (!member->link_waits)
        team_answer(&context->team, rank);
    go_on_after(context, rank);
}

/* ---- Kernels ---- */

/* What a rank compiles next, if there is anything for it. */
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
        return; /* nowhere to put compiled kernels, or nothing to compile: each point sees to itself */
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
