#include "launch/coordinator/forecast.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "plan/order.h"

#define PACE_AFTER                                                                                           \
    0.05 /* of the work done: from then on the run's own pace is what counts, before that of earlier runs */

/* Points of one kernel and of like work that were not measured before. */
struct bucket {
    const struct space *space;
    int class;
    uint32_t example; /* index of one of them */
    double left;      /* points, each as often as it is wanted */
};

struct forecast {
    const struct grid *grid;
    const struct timing *timing;
    struct history *history;
    int ranks, nodes;
    float *known; /* owned: seconds of each point of the grid by the history; NaN: not known */
    struct bucket *bucket;
    size_t buckets, bucket_capacity;
    double known_left;                     /* seconds of the points that were known and are left */
    double known_expected, known_measured; /* of those done */
    double replicates_left, replicates, replicates_seconds;
    double work;  /* seconds of all that is done */
    double start; /* s of clock_now */
};

struct forecast *forecast_new(const struct grid *grid, const struct timing *timing, struct history *history,
                              int ranks, int nodes)
{
    struct forecast *forecast = memory_new(1, sizeof *forecast);
    *forecast = (struct forecast){.grid = grid,
                                  .timing = timing,
                                  .history = history,
                                  .ranks = ranks > 0 ? ranks : 1,
                                  .nodes = nodes > 0 ? nodes : 1,
                                  .start = clock_now()};
    forecast->known = memory_new(grid_count(grid) + 1, sizeof *forecast->known);
    return forecast;
}

void forecast_free(struct forecast *forecast)
{
    if (!forecast)
        return;
    free(forecast->known);
    free(forecast->bucket);
    free(forecast);
}

/* A point that has its node to itself keeps all ranks of it from work. */
static double weight(const struct forecast *forecast, const struct point *point)
{
    return family_of(point)->node_exclusive ? (double)forecast->ranks / forecast->nodes : 1;
}

static struct bucket *find_bucket(struct forecast *forecast, const struct point *point, uint32_t index)
{
    int class = 0;
    double guess = order_expected_seconds(point, forecast->timing);
    if (guess > 0)
        frexp(guess, &class);
    for (size_t i = 0; i < forecast->buckets; i++)
        if (forecast->bucket[i].space == point->space && forecast->bucket[i].class == class)
            return &forecast->bucket[i];
    forecast->bucket = memory_grow(forecast->bucket, forecast->buckets, &forecast->bucket_capacity,
                                   sizeof *forecast->bucket);
    forecast->bucket[forecast->buckets] =
        (struct bucket){.space = point->space, .class = class, .example = index};
    return &forecast->bucket[forecast->buckets++];
}

void forecast_add(struct forecast *forecast, uint32_t index, uint32_t replicates)
{
    struct point point = grid_point(forecast->grid, index);
    double seconds = history_recall(forecast->history, &point, forecast->timing);
    forecast->known[index] = (float)seconds;
    forecast->replicates_left += replicates;
    if (isnan(seconds))
        find_bucket(forecast, &point, index)->left += weight(forecast, &point);
    else
        forecast->known_left += seconds * weight(forecast, &point);
}

void forecast_start(struct forecast *forecast)
{
    forecast->start = clock_now();
}

void forecast_done(struct forecast *forecast, uint32_t index, double seconds, bool ok)
{
    struct point point = grid_point(forecast->grid, index);
    double heavy = weight(forecast, &point), known = forecast->known[index];
    seconds = seconds > 0 ? seconds : 0;
    forecast->work += seconds * heavy;
    if (isnan(known)) {
        find_bucket(forecast, &point, index)->left -= heavy;
    } else {
        forecast->known_left = fmax(0, forecast->known_left - known * heavy);
        forecast->known_expected += ok ? known : 0;
        forecast->known_measured += ok ? seconds : 0;
    }
    if (ok)
        history_add(forecast->history, &point, forecast->timing, seconds);
}

void forecast_replicate(struct forecast *forecast, double seconds)
{
    forecast->replicates_left = fmax(0, forecast->replicates_left - 1);
    if (!(seconds > 0))
        return;
    forecast->replicates++;
    forecast->replicates_seconds += seconds;
    forecast->work += seconds;
}

void forecast_drop(struct forecast *forecast, uint32_t replicates)
{
    forecast->replicates_left = fmax(0, forecast->replicates_left - replicates);
}

/* Seconds of work that is left, of one rank; NaN where nothing is known of some of it. */
static double work_left(const struct forecast *forecast)
{
    double correction =
        forecast->known_expected > 0 ? forecast->known_measured / forecast->known_expected : 1;
    double left = forecast->known_left * correction;
    for (size_t i = 0; i < forecast->buckets; i++) {
        struct point point = grid_point(forecast->grid, forecast->bucket[i].example);
        if (forecast->bucket[i].left > 1e-9)
            left += forecast->bucket[i].left * history_guess(forecast->history, &point, forecast->timing);
    }
    double each = forecast->replicates > 0 ? forecast->replicates_seconds / forecast->replicates : NAN;
    return forecast->replicates_left > 0 ? left + forecast->replicates_left * each : left;
}

double forecast_left(const struct forecast *forecast)
{
    double left = work_left(forecast), elapsed = clock_now() - forecast->start;
    double pace = forecast->ranks / history_overhead(forecast->history);
    if (forecast->work > PACE_AFTER * (forecast->work + left) && elapsed > 0)
        pace = forecast->work / elapsed;
    return pace > 0 ? left / pace : NAN;
}

void forecast_remember(struct forecast *forecast, double fixed)
{
    history_add_run(forecast->history, fixed, forecast->work,
                    (clock_now() - forecast->start) * forecast->ranks);
}
