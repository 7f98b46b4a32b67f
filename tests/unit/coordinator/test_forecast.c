/* Whether forecasts come true: simulated runs of some ranks, with and without counters, further processes and a history. Their
 * points take what they took in real runs, by the timelines of those runs' files. From half-way on what is said to be left is
 * to be within a fifth of what is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "coordinator/progress/forecast.h"
#include "plan/order.h"
#include "protocol/timeline.h"
#include "store/store.h"

#define WITHIN   0.2
#define LAST     0.01 /* of the whole: a second of two minutes does not matter */
#define UNKNOWN  0.08 /* the same in a first run, whose last points are like none before */
#define COUNTERS 30

enum { RANKS_MAX = 8 };

/* What points of a real run took. */
struct truth {
    struct dataset dataset;
    struct job job;
    struct grid *grid;
    struct cost {
        double first, again,
            counting; /* s: of the first process, a further one, and its share of counting its batch */
        double expected_again; /* as the coordinator expects it: without compiling and verifying */
        int visits;
    } * cost;
};

/* What a coordinator hears. */
struct event {
    double time, seconds;
    uint32_t index;
    int rank;
    enum { GIVEN, DONE, COUNTED, REPEATED } what; /* the last one of a batch is followed by `idle` */
    bool idle;
    size_t number; /* in the order in which they were made: a rank's at one time come in it */
};
struct events {
    struct event *event;
    size_t count, capacity;
};

static void add_event(struct events *events, struct event event)
{
    events->event = memory_grow(events->event, events->count, &events->capacity, sizeof *events->event);
    event.number = events->count;
    events->event[events->count++] = event;
}

static uint32_t index_of(const struct truth *truth, uint64_t id)
{
    for (uint32_t i = 0; i < grid_count(truth->grid); i++)
        if (grid_id(truth->grid, i) == id)
            return i;
    return UINT32_MAX;
}

static bool is_counting(const struct span *span)
{
    return phase_group((enum phase)span->phase) == GROUP_COUNT;
}

/* ---- What points took ---- */

/* Following a file's timeline. Of very short points it has sums: those are left out. */
struct reading {
    struct truth *truth;
    uint32_t batch[4096]; /* timed, and not counted yet */
    int batched;
    uint32_t index; /* of the point that is being visited; UINT32_MAX: none */
    double seconds, counting;
};

static void end_visit(struct reading *reading)
{
    struct cost *cost = reading->index == UINT32_MAX ? NULL : &reading->truth->cost[reading->index];
    if (cost && !cost->visits) {
        cost->first = reading->seconds;
        reading->batch[reading->batched++ % 4096] = reading->index;
    } else if (cost && cost->visits >= 2) { /* the second may be a canary's */
        cost->again = reading->seconds;
    }
    if (cost)
        cost->visits++;
    reading->index = UINT32_MAX;
    reading->seconds = 0;
}

static void end_counting(struct reading *reading)
{
    for (int i = 0; i < reading->batched && reading->counting > 0; i++)
        reading->truth->cost[reading->batch[i]].counting = reading->counting / reading->batched;
    if (reading->counting > 0)
        reading->batched = 0;
    reading->counting = 0;
}

static struct span span_of(const union cell *cell)
{
    return (struct span){.start = cell[TIMELINE_start].real,
                         .end = cell[TIMELINE_end].real,
                         .point = strtoull(cell[TIMELINE_point].text, NULL, 16),
                         .lane = (uint8_t)text_find(lane_words, cell[TIMELINE_lane].text),
                         .phase = (uint8_t)text_find(phase_words, cell[TIMELINE_phase].text)};
}

static void read_costs(struct truth *truth)
{
    struct reading reading = {.truth = truth, .index = UINT32_MAX};
    for (size_t i = 0; i < truth->dataset.timeline.rows; i++) {
        const struct span own = span_of(frame_row(&truth->dataset.timeline, i)), *span = &own;
        if (span->lane != LANE_RANK)
            continue;
        uint32_t index = span->point && !is_counting(span) ? index_of(truth, span->point) : UINT32_MAX;
        if (index != reading.index)
            end_visit(&reading);
        if (is_counting(span)) {
            reading.counting += span->end - span->start;
        } else if (index != UINT32_MAX) {
            end_counting(&reading);
            reading.index = index;
            reading.seconds += span->end - span->start;
        }
    }
    end_visit(&reading);
}

static void read_truth(struct truth *truth, const char *name)
{
    char path[512];
    struct error error;
    memset(truth, 0, sizeof *truth);
    snprintf(path, sizeof path, SOURCE_FOLDER "/analysis/data/%s", name);
    if (dataset_read(path, &truth->dataset, &error) != 0 ||
        job_parse(path, truth->dataset.job, strlen(truth->dataset.job), &truth->job, &error) != 0 ||
        grid_expand(&truth->job, &truth->grid, &error) != 0)
        fail_msg("%s", error.text);
    truth->cost = memory_new(grid_count(truth->grid), sizeof *truth->cost);
    const struct frame *results = &truth->dataset.results;
    for (size_t row = 0; row < results->rows; row++) {
        uint32_t index = index_of(truth, strtoull(frame_find_text(results, row, "id"), NULL, 16));
        if (index != UINT32_MAX)
            truth->cost[index].expected_again = 1 - (frame_find_real(results, row, "seconds_verify") +
                                                     frame_find_real(results, row, "seconds_compile")) /
                                                        frame_find_real(results, row, "seconds_total");
    }
    read_costs(truth);
}

static void free_truth(struct truth *truth)
{
    free(truth->cost);
    grid_free(truth->grid);
    job_free(&truth->job);
    dataset_free(&truth->dataset);
}

/* ---- Following one ---- */

static void tell(struct forecast *forecast, const struct truth *truth, const struct event *event)
{
    const struct cost *cost = &truth->cost[event->index];
    if (event->what != GIVEN)
        forecast_report(forecast, event->rank, event->time);
    switch (event->what) {
    case GIVEN:
        forecast_assign(forecast, event->index, event->rank, false);
        forecast_begin_batch(forecast, event->rank, event->time, false);
        break;
    case DONE:
        forecast_add_timed(forecast, event->index, event->rank, event->seconds,
                           event->seconds * cost->expected_again, true);
        forecast_assign(forecast, event->index, event->rank,
                        true); /* if it is counted, then by the same rank */
        break;
    case COUNTED:
        forecast_add_counted(forecast, event->index, event->rank, event->seconds);
        break;
    case REPEATED:
        forecast_add_repeat(forecast, event->index, event->rank, event->seconds);
        break;
    }
    if (event->idle)
        forecast_mark_idle(forecast, event->rank);
}

/* Tells a forecast of the events, and compares from half-way on. Returns the largest error, as a share of what was left. */
static double follow(const struct truth *truth, const struct events *events,
                     const struct forecast_options *options, double start, double slack, const char *what)
{
    struct forecast *forecast = forecast_new(options);
    double end = events->event[events->count - 1].time, worst = 0, worst_at = 0;
    bool *listed = memory_new(grid_count(truth->grid), sizeof *listed);
    for (size_t i = 0; i < events->count; i++) {
        if (!listed[events->event[i].index])
            forecast_add(forecast, events->event[i].index);
        listed[events->event[i].index] = true;
    }
    forecast_start(forecast, start);
    for (size_t i = 0; i < events->count; i++) {
        double now = events->event[i].time, real = end - now;
        tell(forecast, truth, &events->event[i]);
        if (now - start < (end - start) / 2 || (i + 1 < events->count && events->event[i + 1].time <= now))
            continue;
        double off = fabs(forecast_left(forecast, now) - real) - slack * (end - start);
        if (!(off <= WITHIN * real))
            fail_msg("%s: %.3g of %.3g s: it says %.3g s are left, in truth %.3g", what, now - start,
                     end - start, forecast_left(forecast, now), real);
        if (real > 0 && off / real > worst)
            worst = off / real, worst_at = (now - start) / (end - start);
    }
    forecast_remember(forecast, 1, end);
    forecast_free(forecast);
    free(listed);
    print_message("%s: %.1f s, at most %.0f %% off, at %.2f\n", what, end - start, 100 * worst, worst_at);
    return worst;
}

/* ---- Simulated ones ---- */

struct simulated {
    int ranks;
    bool counted;
    uint32_t further;
    double factor; /* all points take so many times what they took */
};

static int by_time(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    return a->time != b->time ? (a->time < b->time ? -1 : 1)
                              : (a->number > b->number) - (a->number < b->number);
}

struct remembered {
    const struct truth *truth;
    const struct history *history;
};

static double recalled(void *context, uint32_t index)
{
    const struct remembered *r = context;
    struct point point = grid_point(r->truth->grid, index);
    double seconds = history_recall(r->history, &point, &r->truth->job.timing);
    return isnan(seconds) ? order_expected_seconds(&point, &r->truth->job.timing) : seconds;
}

/* A batch of the points from `next` on, by the rank that is free first; its time goes on. */
static uint32_t do_batch(const struct truth *truth, const struct simulated *run, const uint32_t *order,
                         uint32_t left, double *free_at, int rank, struct events *events)
{
    uint32_t most = run->counted ? 64 : 4,
             share = (left + 2 * (uint32_t)run->ranks - 1) / (2 * (uint32_t)run->ranks);
    uint32_t count = share < most ? share : most;
    double counting = 0;
    for (uint32_t i = 0; i < count; i++)
        add_event(events, (struct event){*free_at, 0, order[i], rank, GIVEN, false, 0});
    for (uint32_t i = 0; i < count; i++) {
        double seconds = run->factor * truth->cost[order[i]].first;
        *free_at += seconds;
        counting += run->factor * truth->cost[order[i]].counting;
        add_event(events, (struct event){*free_at, seconds, order[i], rank, DONE,
                                         !run->counted && i + 1 == count, 0});
    }
    if (!run->counted)
        return count;
    *free_at += counting;
    for (uint32_t i = 0; i < count; i++)
        add_event(events,
                  (struct event){*free_at, counting / count, order[i], rank, COUNTED, i + 1 == count, 0});
    return count;
}

/* Each rank measures its points again, in another order, so often as is wanted. */
static void add_rounds(const struct truth *truth, const struct simulated *run, double *free_at,
                       struct events *events)
{
    struct event *first = memory_new(events->count + 1, sizeof *first);
    size_t firsts = 0;
    for (size_t i = 0; i < events->count; i++)
        if (events->event[i].what == DONE)
            first[firsts++] = events->event[i];
    for (uint32_t round = 1; round <= run->further; round++)
        for (size_t i = 0; i < firsts; i++) {
            size_t at = (size_t)(hash_mix(i * firsts + round) % (firsts - i)) + i;
            struct event event = first[at];
            first[at] = first[i];
            first[i] = event;
            event.seconds = run->factor * truth->cost[event.index].again;
            add_event(events,
                      (struct event){free_at[event.rank], 0, event.index, event.rank, GIVEN, false, 0});
            event.time = free_at[event.rank] += event.seconds;
            event.what = REPEATED;
            event.idle = true;
            add_event(events, event);
        }
    free(first);
}

static struct events simulate(const struct truth *truth, const struct simulated *run,
                              const struct history *history)
{
    struct events events = {0};
    double free_at[RANKS_MAX] = {0};
    uint32_t *order = order_of_work(truth->grid, &truth->job.timing, 7), points = 0;
    for (uint32_t i = 0; i < grid_count(truth->grid); i++)
        if (truth->cost[order[i]].first > 0 && truth->cost[order[i]].again > 0)
            order[points++] = order[i];
    assert_true(points > 600);
    if (!history_is_empty(history))
        order_longest_first(order, points, recalled, &(struct remembered){truth, history});
    else
        order_samples_first(truth->grid, &truth->job.timing, order, points);
    for (uint32_t next = 0; next < points;) {
        int rank = 0;
        for (int other = 1; other < run->ranks; other++)
            rank = free_at[other] < free_at[rank] ? other : rank;
        next += do_batch(truth, run, order + next, points - next, &free_at[rank], rank, &events);
    }
    add_rounds(truth, run, free_at, &events);
    qsort(events.event, events.count, sizeof *events.event, by_time);
    free(order);
    return events;
}

static void simulated_runs(const struct truth *truth)
{
    static const struct simulated runs[] = {
        {1, false, 0, 1}, {1, true, 0, 1}, {1, false, 2, 1}, {1, true, 2, 1},
        {4, false, 0, 1}, {4, true, 0, 1}, {4, true, 2, 1},  {8, true, 2, 1},
    };
    static const double factors[] = {
        1, 1, 1.5}; /* without a history; with it; when all takes longer than it says */
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        struct history *history = history_read("");
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
            char what[160];
            struct simulated run = runs[r];
            run.factor = factors[f];
            snprintf(what, sizeof what, "simulated: %d ranks%s, %u further processes%s%s", run.ranks,
                     run.counted ? ", counted" : "", run.further, f ? ", with a history" : "",
                     run.factor > 1 ? " of shorter times" : "");
            struct events events = simulate(truth, &run, history);
            follow(truth, &events,
                   &(struct forecast_options){.grid = truth->grid,
                                              .timing = &truth->job.timing,
                                              .history = history,
                                              .ranks = run.ranks,
                                              .present = run.ranks,
                                              .nodes = run.ranks,
                                              .further = run.further,
                                              .bound = true,
                                              .counters = run.counted ? COUNTERS : 0},
                   0, f ? LAST : UNKNOWN, what);
            free(events.event);
        }
        history_free(history);
    }
}

/* ---- Tests ---- */

static void check_file(const char *name)
{
    struct truth truth;
    read_truth(&truth, name);
    simulated_runs(&truth);
    free_truth(&truth);
}

static void on_an_h200(void **state)
{
    (void)state;
    check_file("h200-held-out/unit8-paper.h5");
}

static void on_an_h100(void **state)
{
    (void)state;
    check_file("h100-runs/unit2-paper.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_an_h200),
        cmocka_unit_test(on_an_h100),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
