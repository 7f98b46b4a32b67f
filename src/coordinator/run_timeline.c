#include "coordinator/run.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

/* Sums are written that often, so that a run that is killed has most of them: each part of the run, of the ranks' share. */
#define FLUSH_SECONDS 0.1
#define FLUSH_SHARE   0.02
#define FLUSH_RANKS   3200.0 /* many ranks write more rows at a time, and are written less often */

struct run_timeline {
    struct store *store; /* NULL: not open yet */
    double run_start;    /* s of clock_now */
    double flush_at;     /* s since then */
    int ranks, ended;
    struct recorded {
        struct timeline sums; /* not written yet */
        double at;            /* s since the run's start: end of what is written; NaN: nothing heard */
        bool ended;
    } * lane; /* owned: of each rank, then the coordinator's */
};

struct run_timeline *run_timeline_new(int ranks)
{
    struct run_timeline *timeline = memory_new(1, sizeof *timeline);
    timeline->run_start = clock_process_start();
    timeline->ranks = ranks;
    timeline->lane = memory_new((size_t)ranks + 1, sizeof *timeline->lane);
    for (int i = 0; i < ranks; i++)
        timeline->lane[i].at = NAN;
    return timeline;
}

void run_timeline_free(struct run_timeline *timeline)
{
    for (int i = 0; i <= timeline->ranks; i++)
        timeline_free(&timeline->lane[i].sums);
    free(timeline->lane);
    free(timeline);
}

static double now_of(const struct run_timeline *timeline)
{
    return clock_now() - timeline->run_start;
}

static void write_lane(struct run_timeline *timeline, int index, struct span span)
{
    struct recorded *lane = &timeline->lane[index];
    for (size_t i = 0; i < lane->sums.count; i++) {
        const struct phase_sum *sum = &lane->sums.sum[i];
        span.start = lane->at;
        span.end = lane->at += sum->seconds;
        span.point = sum->point;
        span.parts = sum->parts;
        span.phase = (uint8_t)sum->phase;
        store_span(timeline->store, &span);
    }
    lane->sums.count = 0;
}

/* The coordinator's lane has gaps: it waits for ranks, or answers them. */
static void write_all(struct run_timeline *timeline, const struct team *team)
{
    struct recorded *own = &timeline->lane[timeline->ranks];
    double seconds = 0;
    for (size_t i = 0; i < own->sums.count; i++)
        seconds += own->sums.sum[i].seconds;
    own->at = fmax(own->at, now_of(timeline) - seconds);
    write_lane(timeline, timeline->ranks, (struct span){.device = -1, .lane = LANE_COORDINATOR});
    for (int rank = 0; rank < timeline->ranks; rank++)
        write_lane(timeline, rank, (struct span){.rank = rank, .device = team->member[rank].device_row});
}

void run_timeline_open(struct run_timeline *timeline, const struct team *team, struct store *store)
{
    timeline->store = store;
    store_span_start(store, timeline->run_start);
    write_all(timeline, team);
}

void run_timeline_receive(struct run_timeline *timeline, const struct team *team, int rank,
                          struct wire_reader *payload)
{
    struct recorded *lane = &timeline->lane[rank];
    struct phase_sum sum;
    bool last = wire_get_u32(payload);
    double age = wire_get_real(payload), now = now_of(timeline);
    if (isnan(lane->at))
        lane->at = now - (isfinite(age) ? age : 0);
    for (uint32_t i = wire_get_u32(payload); i > 0 && timeline_get(payload, &sum); i--)
        timeline_add(&lane->sums, &sum);
    if (last && !lane->ended) {
        assert(timeline->ended < timeline->ranks);
        lane->ended = true;
        timeline->ended++;
    }
    if (timeline->store && now >= timeline->flush_at) {
        write_all(timeline, team);
        timeline->flush_at =
            now + fmax(FLUSH_SECONDS, now * fmax(FLUSH_SHARE, timeline->ranks / FLUSH_RANKS));
    }
}

void run_timeline_add(struct run_timeline *timeline, enum phase phase, double start, double end)
{
    timeline_add(&timeline->lane[timeline->ranks].sums,
                 &(struct phase_sum){.phase = phase, .parts = 1, .seconds = fmax(0, end - start)});
}

int run_timeline_ended_ranks(const struct run_timeline *timeline)
{
    return timeline->ended;
}

void run_timeline_finish(struct run_timeline *timeline, const struct team *team)
{
    if (!timeline->store)
        return;
    write_all(timeline, team);
    struct span span = {.start = now_of(timeline),
                        .end = NAN,
                        .parts = 1,
                        .device = -1,
                        .phase = PHASE_close,
                        .lane = LANE_COORDINATOR};
    store_span(timeline->store, &span);
    for (int rank = 0; rank < timeline->ranks; rank++)
        if (timeline->lane[rank].ended)
            store_span(timeline->store, &(struct span){.start = timeline->lane[rank].at,
                                                       .end = NAN,
                                                       .parts = 1,
                                                       .rank = rank,
                                                       .device = team->member[rank].device_row,
                                                       .phase = PHASE_end});
}
