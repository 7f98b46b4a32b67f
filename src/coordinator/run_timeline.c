#include "coordinator/run.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

struct run_timeline {
    double run_start; /* s of clock_now */
    int ranks, ended;
    struct recorded {
        struct timeline sums;
        double start; /* s since the run's start; NaN: nothing heard */
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
        timeline->lane[i].start = NAN;
    timeline->lane[ranks] = (struct recorded){.start = NAN, .ended = true};
}

void run_timeline_free(struct run_timeline *timeline)
{
    for (int i = 0; i <= timeline->ranks; i++)
        timeline_free(&timeline->lane[i].sums);
    free(timeline->lane);
    free(timeline);
}

void run_timeline_receive(struct run *run, int rank, struct wire_reader *payload)
{
    struct run_timeline *timeline = run->timeline;
    struct recorded *lane = &timeline->lane[rank];
    struct phase_sum sum;
    bool last = wire_get_u32(payload);
    double age = wire_get_real(payload);
    if (isnan(lane->start))
        lane->start = clock_now() - timeline->run_start - (isfinite(age) ? age : 0);
    for (uint32_t i = wire_get_u32(payload); i > 0 && timeline_get(payload, &sum); i--)
        timeline_add(&lane->sums, &sum);
    if (last && !lane->ended) {
        assert(timeline->ended < timeline->ranks);
        lane->ended = true;
        timeline->ended++;
    }
}

void run_timeline_add(struct run *run, enum phase phase, double start, double end)
{
    struct run_timeline *timeline = run->timeline;
    struct recorded *own = &timeline->lane[timeline->ranks];
    if (isnan(own->start))
        own->start = start - timeline->run_start;
    timeline_add(&own->sums,
                 &(struct phase_sum){.phase = phase, .parts = 1, .seconds = fmax(0, end - start)});
}

int run_timeline_ended_ranks(const struct run_timeline *timeline)
{
    return timeline->ended;
}

/* The sums of a lane end to end; then, if it is there already, its last phase, from `since` at the earliest until `now`. */
static void write_lane(struct run *run, const struct recorded *lane, struct span span, enum phase last,
                       double since, double now)
{
    span.start = lane->start;
    for (size_t i = 0; i < lane->sums.count; i++) {
        span.sum = lane->sums.sum[i];
        store_span(run->plan.store, &span);
        span.start += span.sum.seconds;
    }
    if (!lane->ended)
        return;
    span.start = fmax(span.start, since);
    span.sum = (struct phase_sum){.phase = last, .parts = 1, .seconds = fmax(0, now - span.start)};
    store_span(run->plan.store, &span);
}

void run_timeline_write(struct run *run)
{
    const struct run_timeline *timeline = run->timeline;
    double now = clock_now() - timeline->run_start;
    store_clear_spans(run->plan.store);
    write_lane(run, &timeline->lane[timeline->ranks], (struct span){.device = -1, .lane = LANE_COORDINATOR},
               PHASE_close, now, now);
    for (int rank = 0; rank < timeline->ranks; rank++)
        write_lane(run, &timeline->lane[rank],
                   (struct span){.rank = rank, .device = run->team.member[rank].device_row}, PHASE_end, 0,
                   now);
}
