/* preparing.c - what comes before measuring: the devices' peaks, and kernels into the cache. */
#include "launch/coordinator/coordinator_state.h"

#include <string.h>

void preparing_take_device(struct coordinator *c, int rank, struct wire_reader *payload)
{
    struct member *member = &c->team.member[rank];
    struct device device;
    char why[512];
    bool ok = wire_get_u32(payload);
    wire_get_device(payload, &device);
    wire_get_text(payload, why, sizeof why);
    if (ok)
        member->device = device;
    else
        progress_say(&c->progress, "rank %d on %s: the device's peaks are unknown: %s", rank, member->host,
                     why);
    member->busy = false;
    member->answered = true;
}

static bool node_is_busy(const struct team *team, int node)
{
    for (int rank = 0; rank < team->count; rank++)
        if (team->member[rank].node == node && team->member[rank].busy && !team->member[rank].lost)
            return true;
    return false;
}

static void start_compiling(struct coordinator *c)
{
    for (int rank = 0; rank < c->team.count; rank++) {
        struct member *member = &c->team.member[rank];
        member->device_row = store_device(c->agenda.store, &member->device);
    }
    c->phase = COMPILING;
    if (!c->token[0])
        return; /* nowhere to put compiled kernels, or nothing to compile: each point sees to itself */
    c->compiling = compiling_new(&c->agenda, &c->team);
    if (compiling_kernels(c->compiling))
        progress_say(&c->progress, "compiling %zu kernels", compiling_kernels(c->compiling));
}

void preparing_characterise(struct coordinator *c)
{
    /* The fake back end loads nothing. */
    bool together = !strcmp(c->backend, "fake");
    for (int rank = 0; rank < c->team.count; rank++) {
        struct member *member = &c->team.member[rank];
        if (member->answered || member->busy || member->lost ||
            (!together && node_is_busy(&c->team, member->node)))
            continue;
        member->busy = true;
        wire_reset(&c->out);
        coordinator_tell(c, rank, MESSAGE_CHARACTERISE);
    }
    if (team_all_answered(&c->team))
        start_compiling(c);
}

void preparing_take_compiled(struct coordinator *c, int rank, struct wire_reader *payload)
{
    char log[1024];
    uint32_t bad = wire_get_u32(payload);
    wire_get_text(payload, log, sizeof log);
    c->team.member[rank].busy = false;
    if (bad && c->failures_shown++ < FAILURES_SHOWN)
        progress_say(&c->progress, "%u kernels did not compile; their points will fail. The first: %s", bad,
                     log);
}

void preparing_compile(struct coordinator *c)
{
    bool busy = false;
    for (int rank = 0; rank < c->team.count && c->compiling; rank++) {
        struct member *member = &c->team.member[rank];
        uint32_t index[MESSAGE_BATCH_MOST];
        if (member->lost)
            continue;
        int count = member->busy ? 0 : compiling_take(c->compiling, rank, index);
        if (count) {
            wire_reset(&c->out);
            wire_put_u32(&c->out, (uint32_t)count);
            for (int i = 0; i < count; i++) {
                struct point point = grid_point(c->agenda.grid, index[i]);
                wire_put_point(&c->out, &point);
            }
            member->busy = true;
            coordinator_tell(c, rank, MESSAGE_COMPILE);
        }
        busy |= member->busy;
    }
    if (!busy)
        measuring_start(c);
}
