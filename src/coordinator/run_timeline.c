#include "coordinator/run_timeline.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "coordinator/run_state.h"

struct recorded_lane {
    struct timeline sums;
    double start; /* s since the run's start; NaN: nothing heard */
    bool ended;
};

void run_timeline_start(struct run *run)
{
    int ranks = run->team.count;
    struct run_timeline *timeline = &run->timeline;
    timeline->start = clock_process_start();
    timeline->lane = memory_new((size_t)ranks + 1, sizeof *timeline->lane);
    for (int i = 0; i < ranks; i++)
        timeline->lane[i].start = NAN;
    timeline->lane[ranks] = (struct recorded_lane){.start = NAN, .ended = true};
}

void run_timeline_end(struct run *run)
{
    for (int i = 0; i <= run->team.count; i++)
        timeline_free(&run->timeline.lane[i].sums);
    free(run->timeline.lane);
}

void run_timeline_receive(struct run *run, int rank, struct wire_reader *payload)
{
    struct run_timeline *timeline = &run->timeline;
    struct recorded_lane *lane = &timeline->lane[rank];
    struct phase_sum sum;
    bool last = wire_get_u32(payload);
    double age = wire_get_real(payload);
    if (isnan(lane->start))
        lane->start = clock_now() - timeline->start - (isfinite(age) ? age : 0);
    for (uint32_t i = wire_get_u32(payload); i > 0 && timeline_get(payload, &sum); i--)
        timeline_add(&lane->sums, &sum);
    if (last && !lane->ended) {
        assert(timeline->ended < run->team.count);
        lane->ended = true;
        timeline->ended++;
    }
}

void run_timeline_add(struct run *run, enum phase phase, double start, double end)
{
    struct recorded_lane *own = &run->timeline.lane[run->team.count];
    if (isnan(own->start))
        own->start = start - run->timeline.start;
    timeline_add(&own->sums,
                 &(struct phase_sum){.phase = phase, .parts = 1, .seconds = fmax(0, end - start)});
}

/* The sums of a lane end to end; then, if it is there already, its last phase, from `since` at the earliest
 * until `now`. */
static void write_lane(struct run *run, const struct recorded_lane *lane, struct phase_row row,
                       enum phase last, double since, double now)
{
    row.start = lane->start;
    for (size_t i = 0; i < lane->sums.count; i++) {
        row.sum = lane->sums.sum[i];
        store_phase(run->plan.store, &row);
        row.start += row.sum.seconds;
    }
    if (!lane->ended)
        return;
    row.start = fmax(row.start, since);
    row.sum = (struct phase_sum){.phase = last, .parts = 1, .seconds = fmax(0, now - row.start)};
    store_phase(run->plan.store, &row);
}

void run_timeline_write(struct run *run)
{
    const struct run_timeline *timeline = &run->timeline;
    int ranks = run->team.count;
    double now = clock_now() - timeline->start;
    store_clear_phases(run->plan.store);
    write_lane(run, &timeline->lane[ranks], (struct phase_row){.device = -1, .lane = LANE_COORDINATOR},
               PHASE_close, now, now);
    for (int rank = 0; rank < ranks; rank++)
        write_lane(run, &timeline->lane[rank],
                   (struct phase_row){.rank = rank, .device = run->team.member[rank].device_row}, PHASE_end,
                   0, now);
}
