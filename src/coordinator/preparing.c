#include "coordinator/preparing.h"

/* ---- Devices ---- */

static void ask_device(struct desk *desk, int rank, enum peaks_part part)
{
    desk->team.member[rank].busy = true;
    desk->team.member[rank].link_waits = part == PEAKS_OWN_FIRST;
    wire_put_u32(desk_write(desk), part);
    desk_tell(desk, rank, MESSAGE_CHARACTERISE);
}

/* Do its ranks share nothing but the link to the host? A rank that is alone has nobody to wait for. */
static bool has_own_devices(const struct desk *desk, int rank)
{
    const struct member *member = desk->team.member;
    return desk->traits.owns_device && member[member[rank].first_on_node].next_on_node >= 0;
}

/* Has the job points that load the link to the host? Where it has none, nobody asks what the link does at best. */
static bool loads_link(const struct desk *desk)
{
    const struct job *job = &desk->agenda.job;
    for (int i = 0; i < job->sweep_count; i++)
        if (job->sweeps[i].family->node_exclusive)
            return true;
    return false;
}

/* All of what such a rank has to measure, at once. */
static enum peaks_part all_of_it(const struct desk *desk)
{
    return desk->traits.owns_device && !loads_link(desk) ? PEAKS_OWN : PEAKS_ALL;
}

/* The first rank from here on along its node that has not been asked, and may be. */
static void ask_next_on_node(struct desk *desk, int rank)
{
    const struct member *member = desk->team.member;
    while (rank >= 0 && (member[rank].answered || member[rank].lost))
        rank = member[rank].next_on_node;
    if (rank >= 0)
        ask_device(desk, rank, has_own_devices(desk, rank) ? PEAKS_LINK : all_of_it(desk));
}

static void ask_all_on_node(struct desk *desk, int rank, enum peaks_part part)
{
    for (; rank >= 0; rank = desk->team.member[rank].next_on_node)
        if (!desk->team.member[rank].lost)
            ask_device(desk, rank, part);
}

void preparing_characterise(struct desk *desk)
{
    struct team *team = &desk->team;
    team_await_answers(team);
    for (int node = 0; node < team->nodes; node++) {
        if (desk->traits.makes_up) /* it loads nothing */
            ask_all_on_node(desk, team->first[node], PEAKS_ALL);
        else if (has_own_devices(desk, team->first[node]))
            ask_all_on_node(desk, team->first[node], loads_link(desk) ? PEAKS_OWN_FIRST : PEAKS_OWN);
        else
            ask_next_on_node(desk, team->first[node]);
    }
}

/* Its own peaks are there, or never will be: the links' turn comes when that is so of the whole node. */
static void go_on_to_links(struct desk *desk, int rank)
{
    struct team *team = &desk->team;
    int first = team->member[rank].first_on_node;
    team->member[rank].link_waits = false;
    for (int other = first; other >= 0; other = team->member[other].next_on_node)
        if (team->member[other].link_waits && !team->member[other].lost)
            return;
    ask_next_on_node(desk, first);
}

static void go_on_after(struct desk *desk, int rank)
{
    bool all_were_asked = desk->traits.makes_up || (has_own_devices(desk, rank) && !loads_link(desk));
    desk->team.member[rank].busy = false;
    if (desk->team.member[rank].link_waits)
        go_on_to_links(desk, rank);
    else if (!all_were_asked)
        ask_next_on_node(desk, desk->team.member[rank].next_on_node);
}

void preparing_take_device(struct desk *desk, int rank, struct wire_reader *payload)
{
    struct member *member = &desk->team.member[rank];
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
        progress_say(&desk->progress, "rank %d on %s: the device's peaks are unknown: %s", rank, member->host,
                     why);
    if (!member->link_waits)
        team_answer(&desk->team, rank);
    go_on_after(desk, rank);
}

/* ---- Kernels ---- */

/* What a rank compiles next, if there is anything for it. */
static void hand_out(struct preparing *preparing, struct desk *desk, int rank)
{
    uint32_t index[MESSAGE_COMPILE_MOST];
    int count = compiling_take(preparing->compiling, rank, index);
    if (!count)
        return;
    struct wire *out = desk_write(desk);
    wire_put_u32(out, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        struct point point = grid_point(desk->agenda.grid, index[i]);
        wire_put_point(out, &point);
    }
    desk->team.member[rank].busy = true;
    preparing->busy++;
    desk_tell(desk, rank, MESSAGE_COMPILE);
}

void preparing_compile(struct preparing *preparing, struct desk *desk, bool cached)
{
    struct team *team = &desk->team;
    for (int rank = 0; rank < team->count; rank++)
        team->member[rank].device_row = store_device(desk->agenda.store, &team->member[rank].device);
    if (!cached)
        return; /* nowhere to put compiled kernels, or nothing to compile: each point sees to itself */
    preparing->compiling = compiling_new(&desk->agenda, team);
    if (compiling_kernels(preparing->compiling))
        progress_say(&desk->progress, "compiling %zu kernels", compiling_kernels(preparing->compiling));
    for (int rank = 0; rank < team->count; rank++)
        if (!team->member[rank].lost)
            hand_out(preparing, desk, rank);
}

void preparing_take_compiled(struct preparing *preparing, struct desk *desk, int rank,
                             struct wire_reader *payload)
{
    struct member *member = &desk->team.member[rank];
    char log[1024];
    uint32_t bad = wire_get_u32(payload);
    wire_get_text(payload, log, sizeof log);
    if (!member->busy || !preparing->busy)
        return;
    if (bad && desk->failures_shown++ < FAILURES_SHOWN)
        progress_say(&desk->progress, "%u kernels did not compile; their points will fail. The first: %s",
                     bad, log);
    member->busy = false;
    preparing->busy--;
    hand_out(preparing, desk, rank);
}

bool preparing_is_compiled(const struct preparing *preparing)
{
    return preparing->busy == 0;
}

/* ---- Both ---- */

void preparing_lose(struct preparing *preparing, struct desk *desk, int rank)
{
    if (!desk->team.member[rank].busy)
        return;
    if (preparing->busy) {
        desk->team.member[rank].busy = false;
        preparing->busy--;
    } else {
        go_on_after(desk, rank);
    }
}

void preparing_end(struct preparing *preparing)
{
    compiling_free(preparing->compiling);
    preparing->compiling = NULL;
}
