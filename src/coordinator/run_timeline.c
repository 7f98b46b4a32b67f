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
    bool open;        /* the file is */
    double run_start; /* s of clock_now */
    double flush_at;  /* s since then */
    int ranks, ended;
    struct recorded {
        struct timeline sums; /* not written yet */
        double at;            /* s since the run's start: end of what is written; NaN: nothing heard */
        bool ended;
    } * lane; /* owned: of each rank, then the coordinator's */
};

void run_timeline_start(struct run *run)
{
    int ranks = run->team.count;
    struct run_timeline *timeline = run->timeline = memory_new(1, sizeof *timeline);
    timeline->run_start = clock_process_start();
    timeline->ranks = ranks;
    timeline->lane = memory_new((size_t)ranks + 1, sizeof *timeline->lane);
    for (int i = 0; i < ranks; i++)
        timeline->lane[i].at = NAN;
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

static void write_lane(struct run *run, int index, struct span span)
{
    struct recorded *lane = &run->timeline->lane[index];
    for (size_t i = 0; i < lane->sums.count; i++) {
        const struct phase_sum *sum = &lane->sums.sum[i];
        span.start = lane->at;
        span.end = lane->at += sum->seconds;
        span.point = sum->point;
        span.parts = sum->parts;
        span.phase = (uint8_t)sum->phase;
        store_span(run->plan.store, &span);
    }
    lane->sums.count = 0;
}

/* The coordinator's lane has gaps: it waits for ranks, or answers them. */
static void write_all(struct run *run)
{
    struct run_timeline *timeline = run->timeline;
    struct recorded *own = &timeline->lane[timeline->ranks];
    double seconds = 0;
    for (size_t i = 0; i < own->sums.count; i++)
        seconds += own->sums.sum[i].seconds;
    own->at = fmax(own->at, now_of(timeline) - seconds);
    write_lane(run, timeline->ranks, (struct span){.device = -1, .lane = LANE_COORDINATOR});
    for (int rank = 0; rank < timeline->ranks; rank++)
        write_lane(run, rank, (struct span){.rank = rank, .device = run->team.member[rank].device_row});
}

void run_timeline_open(struct run *run)
{
    run->timeline->open = true;
    store_span_start(run->plan.store, run->timeline->run_start);
    write_all(run);
}

void run_timeline_receive(struct run *run, int rank, struct wire_reader *payload)
{
    struct run_timeline *timeline = run->timeline;
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
    if (timeline->open && now >= timeline->flush_at) {
        write_all(run);
        timeline->flush_at =
            now + fmax(FLUSH_SECONDS, now * fmax(FLUSH_SHARE, timeline->ranks / FLUSH_RANKS));
    }
}

void run_timeline_add(struct run *run, enum phase phase, double start, double end)
{
    timeline_add(&run->timeline->lane[run->team.count].sums,
                 &(struct phase_sum){.phase = phase, .parts = 1, .seconds = fmax(0, end - start)});
}

int run_timeline_ended_ranks(const struct run_timeline *timeline)
{
    return timeline->ended;
}

void run_timeline_finish(struct run *run)
{
    const struct run_timeline *timeline = run->timeline;
    if (!timeline->open)
        return;
    write_all(run);
    struct span span = {.start = now_of(timeline),
                        .end = NAN,
                        .parts = 1,
                        .device = -1,
                        .phase = PHASE_close,
                        .lane = LANE_COORDINATOR};
    store_span(run->plan.store, &span);
    for (int rank = 0; rank < timeline->ranks; rank++)
        if (timeline->lane[rank].ended)
            store_span(run->plan.store, &(struct span){.start = timeline->lane[rank].at,
                                                       .end = NAN,
                                                       .parts = 1,
                                                       .rank = rank,
                                                       .device = run->team.member[rank].device_row,
                                                       .phase = PHASE_end});
}
