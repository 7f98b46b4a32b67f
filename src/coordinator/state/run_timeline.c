#include "coordinator/state/run_timeline.h"

#include <math.h>
#include <stdlib.h>

#include "base/birth.h"
#include "base/clock.h"
#include "base/memory.h"

#define INSTANT    1e-4  /* s: of the coordinator; what is shorter is not told */
#define WRITINGS   64    /* of the coordinator's last spans that ranks may have waited for */
#define EARLY_MOST 65536 /* spans that are kept until the file is open */

struct chronicle {
    struct store *store; /* NULL: not open yet */
    double birth;        /* s of clock_now: the run's start */
    int64_t start;       /* the same as the time of day, in ns */
    int ranks, ended;
    double *end;        /* of each rank's last span, on the run's clock; NaN: it has not told its last */
    struct span *early; /* owned */
    size_t early_count, early_capacity;
    struct span writing[WRITINGS]; /* a ring */
    int writings;
};

struct chronicle *chronicle_new(int ranks)
{
    struct chronicle *chronicle = memory_new(1, sizeof *chronicle);
    chronicle->birth = birth_of_process();
    chronicle->start = birth_clock_offset() + (int64_t)(chronicle->birth * 1e9);
    chronicle->ranks = ranks;
    chronicle->end = memory_new((size_t)ranks, sizeof *chronicle->end);
    for (int rank = 0; rank < ranks; rank++)
        chronicle->end[rank] = NAN;
    return chronicle;
}

void chronicle_free(struct chronicle *chronicle)
{
    free(chronicle->end);
    free(chronicle->early);
    free(chronicle);
}

static void keep(struct chronicle *chronicle, const struct span *span)
{
    if (chronicle->store) {
        store_span(chronicle->store, span);
        return;
    }
    if (chronicle->early_count == EARLY_MOST)
        return;
    chronicle->early = memory_grow(chronicle->early, chronicle->early_count, &chronicle->early_capacity,
                                   sizeof *chronicle->early);
    chronicle->early[chronicle->early_count++] = *span;
}

void chronicle_open(struct chronicle *chronicle, const struct team *team, struct store *store)
{
    chronicle->store = store;
    store_span_start(store, chronicle->birth);
    for (size_t i = 0; i < chronicle->early_count; i++) {
        struct span *span = &chronicle->early[i];
        if (span->lane == LANE_RANK)
            span->device = team->member[span->rank].device_row;
        keep(chronicle, span);
    }
    chronicle->early_count = 0;
}

/* A part of a wait in which the coordinator wrote was for that: cut the span up. */
static void keep_wait(struct chronicle *chronicle, struct span span)
{
    int first = chronicle->writings > WRITINGS ? chronicle->writings - WRITINGS : 0;
    for (int i = first; i < chronicle->writings && span.end > span.start; i++) {
        const struct span *writing = &chronicle->writing[i % WRITINGS];
        if (writing->end <= span.start || writing->start >= span.end)
            continue;
        struct span before = span, during = span;
        before.end = fmax(span.start, writing->start);
        during.start = before.end;
        during.end = fmin(span.end, writing->end);
        during.phase = PHASE_wait_writer;
        if (before.end > before.start)
            keep(chronicle, &before);
        keep(chronicle, &during);
        span.start = during.end;
    }
    if (span.end > span.start)
        keep(chronicle, &span);
}

void chronicle_take(struct chronicle *chronicle, const struct team *team, int rank,
                    struct wire_reader *payload)
{
    struct span span;
    bool last = wire_get_u32(payload);
    double behind = 1e-9 * (double)((int64_t)wire_get_u64(payload) - chronicle->start), end = 0;
    for (uint32_t i = wire_get_u32(payload); i > 0 && timeline_get(payload, &span); i--) {
        span.rank = rank;
        span.device = team->member[rank].device_row;
        span.start += behind;
        span.end += behind;
        end = span.end;
        if (span.phase == PHASE_wait_work)
            keep_wait(chronicle, span);
        else
            keep(chronicle, &span);
    }
    if (last && isnan(chronicle->end[rank])) {
        chronicle->end[rank] = end;
        chronicle->ended++;
    }
}

void chronicle_tell(struct chronicle *chronicle, enum phase phase, double start)
{
    chronicle_tell_of(chronicle, phase, start, clock_now());
}

void chronicle_tell_of(struct chronicle *chronicle, enum phase phase, double start, double end)
{
    struct span span = {.start = start - chronicle->birth,
                        .end = end - chronicle->birth,
                        .parts = 1,
                        .device = -1,
                        .phase = (uint8_t)phase,
                        .lane = LANE_COORDINATOR};
    if (end - start < INSTANT)
        return;
    chronicle->writing[chronicle->writings++ % WRITINGS] = span;
    keep(chronicle, &span);
}

int chronicle_ended(const struct chronicle *chronicle)
{
    return chronicle->ended;
}

void chronicle_end(struct chronicle *chronicle, const struct team *team)
{
    struct span span = {.start = clock_now() - chronicle->birth,
                        .end = NAN,
                        .parts = 1,
                        .device = -1,
                        .phase = PHASE_close,
                        .lane = LANE_COORDINATOR};
    keep(chronicle, &span);
    for (int rank = 0; rank < chronicle->ranks; rank++) {
        if (isnan(chronicle->end[rank]))
            continue;
        keep(chronicle, &(struct span){.start = chronicle->end[rank],
                                       .end = NAN,
                                       .parts = 1,
                                       .rank = rank,
                                       .device = team->member[rank].device_row,
                                       .phase = PHASE_end});
    }
}
