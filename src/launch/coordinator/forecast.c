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
    struct forecast_options options;
    float *known;    /* owned: seconds of each point of the grid by the history; NaN: not known */
    float *measured; /* owned: seconds of those that this run has measured */
    struct bucket *bucket;
    size_t buckets, bucket_capacity;
    double known_left;                     /* seconds of the points that were known and are left */
    double known_expected, known_measured; /* of those done */
    double *bound;             /* owned: seconds of each rank's points, as often as it has to repeat them */
    double all_bound;          /* their sum */
    double again, again_first; /* seconds of repetitions, and those points' first ones */
    double work;               /* seconds of all that is done */
    double start;              /* s of clock_now */
};

struct forecast *forecast_new(const struct forecast_options *options)
{
    struct forecast *forecast = memory_new(1, sizeof *forecast);
    size_t points = grid_count(options->grid) + 1;
    *forecast = (struct forecast){.options = *options, .start = clock_now()};
    forecast->known = memory_new(points, sizeof *forecast->known);
    forecast->measured = memory_new(points, sizeof *forecast->measured);
    forecast->bound = memory_new((size_t)options->ranks, sizeof *forecast->bound);
    return forecast;
}

void forecast_free(struct forecast *forecast)
{
    if (!forecast)
        return;
    free(forecast->known);
    free(forecast->measured);
    free(forecast->bound);
    free(forecast->bucket);
    free(forecast);
}

/* A point that has its node to itself keeps all ranks of it from work. */
static double weight(const struct forecast *forecast, const struct point *point)
{
    return family_of(point)->node_exclusive ? (double)forecast->options.present / forecast->options.nodes : 1;
}

static struct bucket *find_bucket(struct forecast *forecast, const struct point *point, uint32_t index)
{
    int class = 0;
    double guess = order_expected_seconds(point, forecast->options.timing);
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

void forecast_add(struct forecast *forecast, uint32_t index)
{
    struct point point = grid_point(forecast->options.grid, index);
    double seconds = history_recall(forecast->options.history, &point, forecast->options.timing);
    forecast->known[index] = (float)seconds;
    if (isnan(seconds))
        find_bucket(forecast, &point, index)->left += weight(forecast, &point);
    else
        forecast->known_left += seconds * weight(forecast, &point);
}

void forecast_start(struct forecast *forecast)
{
    forecast->start = clock_now();
}

/* So many seconds more, or less, that a rank has to repeat. */
static void bind(struct forecast *forecast, int rank, double seconds)
{
    forecast->bound[rank] = fmax(0, forecast->bound[rank] + seconds);
    forecast->all_bound = fmax(0, forecast->all_bound + seconds);
}

void forecast_done(struct forecast *forecast, uint32_t index, int rank, double seconds, bool ok)
{
    struct point point = grid_point(forecast->options.grid, index);
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
    if (!ok)
        return;
    history_add(forecast->options.history, &point, forecast->options.timing, seconds);
    forecast->measured[index] = (float)(seconds * heavy);
    bind(forecast, rank, forecast->options.further * seconds * heavy);
}

void forecast_repeated(struct forecast *forecast, uint32_t index, int rank, double seconds)
{
    double first = forecast->measured[index];
    if (!(seconds > 0))
        return;
    bind(forecast, rank, -first);
    forecast->work += seconds;
    forecast->again += first > 0 ? seconds : 0;
    forecast->again_first += first;
}

void forecast_lose(struct forecast *forecast, int rank)
{
    bind(forecast, rank, -forecast->bound[rank]);
}

/* Seconds of first measurements that are left; NaN where nothing is known of some of them. */
static double points_left(const struct forecast *forecast)
{
    double correction =
        forecast->known_expected > 0 ? forecast->known_measured / forecast->known_expected : 1;
    double left = forecast->known_left * correction;
    for (size_t i = 0; i < forecast->buckets; i++) {
        struct point point = grid_point(forecast->options.grid, forecast->bucket[i].example);
        if (forecast->bucket[i].left > 1e-9)
            left += forecast->bucket[i].left *
                    history_guess(forecast->options.history, &point, forecast->options.timing);
    }
    return left;
}

double forecast_left(const struct forecast *forecast)
{
    const struct forecast_options *options = &forecast->options;
    double again = forecast->again_first > 0 ? forecast->again / forecast->again_first : 1, most = 0;
    double points = points_left(forecast), elapsed = clock_now() - forecast->start;
    double left = points + again * (options->further * points + forecast->all_bound);
    double pace = options->present / history_overhead(options->history);
    if (forecast->work > PACE_AFTER * (forecast->work + left) && elapsed > 0)
        pace = forecast->work / elapsed;
    for (int rank = 0; rank < options->ranks && options->bound; rank++)
        most = fmax(most, forecast->bound[rank]);
    if (isnan(left) || !(pace > 0))
        return NAN;
    /* The last rank may have more bound to it than its part. */
    return fmax(left, options->present * again * most) / pace;
}

void forecast_remember(struct forecast *forecast, double fixed)
{
    history_add_run(forecast->options.history, fixed, forecast->work,
                    (clock_now() - forecast->start) * forecast->options.present);
}
