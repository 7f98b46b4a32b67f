#include "coordinator/state/run_timeline.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

#define INSTANT   1e-4  /* s: shorter spans of the coordinator are dropped */
#define WRITINGS  64    /* last spans of the coordinator, which ranks may have waited for */
#define EARLY_MAX 65536 /* spans that are buffered until the file is open */

struct run_timeline {
    struct store *store; /* NULL: not open yet */
    double run_start;    /* s of clock_now: the run's start */
    int64_t start;       /* the same as the time of day, in ns */
    int ranks, ended;
    double *end;        /* per rank: end of its last span on the clock of the run; NaN: not sent yet */
    struct span *early; /* owned */
    size_t early_count, early_capacity;
    struct span writing[WRITINGS]; /* ring buffer */
    int writings;
};

struct run_timeline *run_timeline_new(int ranks)
{
    struct run_timeline *timeline = memory_new(1, sizeof *timeline);
    timeline->run_start = clock_process_start();
    timeline->start = clock_realtime_offset() + (int64_t)(timeline->run_start * 1e9);
    timeline->ranks = ranks;
    timeline->end = memory_new((size_t)ranks, sizeof *timeline->end);
    for (int rank = 0; rank < ranks; rank++)
        timeline->end[rank] = NAN;
    return timeline;
}

void run_timeline_free(struct run_timeline *timeline)
{
    free(timeline->end);
    free(timeline->early);
    free(timeline);
}

static void keep(struct run_timeline *timeline, const struct span *span)
{
    if (timeline->store) {
        store_span(timeline->store, span);
        return;
    }
    if (timeline->early_count == EARLY_MAX)
        return;
    timeline->early = memory_grow(timeline->early, timeline->early_count, &timeline->early_capacity,
                                  sizeof *timeline->early);
    timeline->early[timeline->early_count++] = *span;
}

void run_timeline_open(struct run_timeline *timeline, const struct team *team, struct store *store)
{
    timeline->store = store;
    store_span_start(store, timeline->run_start);
    for (size_t i = 0; i < timeline->early_count; i++) {
        struct span *span = &timeline->early[i];
        if (span->lane == LANE_RANK)
            span->device = team->member[span->rank].device_row;
        keep(timeline, span);
    }
    timeline->early_count = 0;
}

/* A rank that waits while the coordinator writes waits for the writer: split the span accordingly. */
static void keep_wait(struct run_timeline *timeline, struct span span)
{
    int first = timeline->writings > WRITINGS ? timeline->writings - WRITINGS : 0;
    for (int i = first; i < timeline->writings && span.end > span.start; i++) {
        const struct span *writing = &timeline->writing[i % WRITINGS];
        if (writing->end <= span.start || writing->start >= span.end)
            continue;
        struct span before = span, during = span;
        before.end = fmax(span.start, writing->start);
        during.start = before.end;
        during.end = fmin(span.end, writing->end);
        during.phase = PHASE_wait_writer;
        if (before.end > before.start)
            keep(timeline, &before);
        keep(timeline, &during);
        span.start = during.end;
    }
    if (span.end > span.start)
        keep(timeline, &span);
}

void run_timeline_receive(struct run_timeline *timeline, const struct team *team, int rank,
                          struct wire_reader *payload)
{
    struct span span;
    bool last = wire_get_u32(payload);
    double behind = 1e-9 * (double)((int64_t)wire_get_u64(payload) - timeline->start), end = 0;
    for (uint32_t i = wire_get_u32(payload); i > 0 && timeline_get(payload, &span); i--) {
        span.rank = rank;
        span.device = team->member[rank].device_row;
        span.start += behind;
        span.end += behind;
        end = span.end;
        if (span.phase == PHASE_wait_work)
            keep_wait(timeline, span);
        else
            keep(timeline, &span);
    }
    if (last && isnan(timeline->end[rank])) {
        timeline->end[rank] = end;
        assert(timeline->ended < timeline->ranks);
        timeline->ended++;
    }
}

void run_timeline_add_until_now(struct run_timeline *timeline, enum phase phase, double start)
{
    run_timeline_add(timeline, phase, start, clock_now());
}

void run_timeline_add(struct run_timeline *timeline, enum phase phase, double start, double end)
{
    struct span span = {.start = start - timeline->run_start,
                        .end = end - timeline->run_start,
                        .parts = 1,
                        .device = -1,
                        .phase = (uint8_t)phase,
                        .lane = LANE_COORDINATOR};
    if (end - start < INSTANT)
        return;
    timeline->writing[timeline->writings++ % WRITINGS] = span;
    keep(timeline, &span);
}

int run_timeline_ended_ranks(const struct run_timeline *timeline)
{
    return timeline->ended;
}

void run_timeline_finish(struct run_timeline *timeline, const struct team *team)
{
    struct span span = {.start = clock_now() - timeline->run_start,
                        .end = NAN,
                        .parts = 1,
                        .device = -1,
                        .phase = PHASE_close,
                        .lane = LANE_COORDINATOR};
    keep(timeline, &span);
    for (int rank = 0; rank < timeline->ranks; rank++) {
        if (isnan(timeline->end[rank]))
            continue;
        keep(timeline, &(struct span){.start = timeline->end[rank],
                                      .end = NAN,
                                      .parts = 1,
                                      .rank = rank,
                                      .device = team->member[rank].device_row,
                                      .phase = PHASE_end});
    }
}
