#include "launch/coordinator/forecast.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "plan/order.h"

#define PACE_AFTER                                                                                           \
    0.05 /* of the work done: from then on the run's own pace is what counts, before that of earlier runs */

/* What was expected of points, and what they took. */
struct tally {
    double expected, seconds;
};

/* Points of one kernel and of like work; those that were measured before apart from those whose time is guessed. */
struct bucket {
    const struct space *space;
    int class;
    bool known;
    uint32_t example;     /* index of one of them */
    double left, waiting; /* points that are left, and what is expected of them, s; NaN: nothing is known */
    double points;        /* that are done */
    struct tally done;
};

struct forecast {
    struct forecast_options options;
    float *expected; /* owned: seconds of each point of the grid by the history; NaN: nothing is known */
    bool *recalled;  /* owned: it is what the point itself took before */
    uint16_t *of;    /* owned: the bucket of each point */
    float *measured; /* owned: seconds of those that this run has measured */
    struct bucket *bucket;
    size_t buckets, bucket_capacity;
    struct tally done;         /* of all */
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
    forecast->expected = memory_new(points, sizeof *forecast->expected);
    forecast->recalled = memory_new(points, sizeof *forecast->recalled);
    forecast->of = memory_new(points, sizeof *forecast->of);
    forecast->measured = memory_new(points, sizeof *forecast->measured);
    forecast->bound = memory_new((size_t)options->ranks, sizeof *forecast->bound);
    return forecast;
}

void forecast_free(struct forecast *forecast)
{
    if (!forecast)
        return;
    free(forecast->expected);
    free(forecast->recalled);
    free(forecast->of);
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
    const struct timing *timing = forecast->options.timing;
    int class = 0;
    bool known = !isnan(forecast->expected[index]) && forecast->recalled[index];
    double guess = order_expected_seconds(point, timing);
    if (guess > 0)
        frexp(guess, &class);
    for (size_t i = 0; i < forecast->buckets; i++) /* some dozens: kernels times powers of two */
        if (forecast->bucket[i].space == point->space && forecast->bucket[i].class == class &&
            forecast->bucket[i].known == known)
            return &forecast->bucket[i];
    forecast->bucket = memory_grow(forecast->bucket, forecast->buckets, &forecast->bucket_capacity,
                                   sizeof *forecast->bucket);
    forecast->bucket[forecast->buckets] =
        (struct bucket){.space = point->space, .class = class, .known = known, .example = index};
    return &forecast->bucket[forecast->buckets++];
}

void forecast_add(struct forecast *forecast, uint32_t index)
{
    struct point point = grid_point(forecast->options.grid, index);
    double seconds = history_recall(forecast->options.history, &point, forecast->options.timing);
    forecast->recalled[index] = !isnan(seconds);
    if (isnan(seconds))
        seconds = history_guess(forecast->options.history, &point, forecast->options.timing);
    forecast->expected[index] = (float)seconds;
    struct bucket *bucket = find_bucket(forecast, &point, index);
    forecast->of[index] = (uint16_t)(bucket - forecast->bucket);
    bucket->left += weight(forecast, &point);
    bucket->waiting += seconds * weight(forecast, &point);
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

static void tally(struct tally *tally, double expected, double seconds)
{
    tally->seconds += seconds;
    tally->expected += isnan(expected) ? 0 : expected;
}

void forecast_done(struct forecast *forecast, uint32_t index, int rank, double seconds, bool ok)
{
    struct point point = grid_point(forecast->options.grid, index);
    double heavy = weight(forecast, &point), expected = forecast->expected[index];
    struct bucket *bucket = &forecast->bucket[forecast->of[index]];
    if (!forecast->buckets)
        return; /* nothing was to be measured */
    seconds = seconds > 0 ? seconds : 0;
    forecast->work += seconds * heavy;
    bucket->left -= heavy;
    bucket->waiting -= expected * heavy;
    if (!ok)
        return;
    bucket->points++;
    tally(&bucket->done, expected, seconds);
    tally(&forecast->done, expected, seconds);
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

/* What was expected is corrected by what points of the bucket took in this run; before the first of them, by what all
 * others did. Of what nothing was known, this run's own points tell. */
static double bucket_left(const struct forecast *forecast, const struct bucket *bucket)
{
    const struct tally *all = &forecast->done;
    if (isnan(bucket->waiting)) {
        struct point point = grid_point(forecast->options.grid, bucket->example);
        return bucket->left * (bucket->points > 0 ? bucket->done.seconds / bucket->points
                                                  : history_guess(forecast->options.history, &point,
                                                                  forecast->options.timing));
    }
    if (bucket->done.expected > 0)
        return bucket->waiting * bucket->done.seconds / bucket->done.expected;
    return all->expected > 0 ? bucket->waiting * all->seconds / all->expected : bucket->waiting;
}

/* Seconds of first measurements that are left; NaN where nothing is known of some of them. */
static double points_left(const struct forecast *forecast)
{
    double left = 0;
    for (size_t i = 0; i < forecast->buckets; i++)
        if (forecast->bucket[i].left > 1e-9)
            left += bucket_left(forecast, &forecast->bucket[i]);
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
    if (isnan(left) || !(pace > 0) || !(forecast->work > 0))
        return NAN; /* before the first point this run has not shown how it compares with earlier ones */
    /* The last rank may have more bound to it than its part. */
    return fmax(left, options->present * again * most) / pace;
}

void forecast_remember(struct forecast *forecast, double fixed)
{
    history_add_run(forecast->options.history, fixed, forecast->work,
                    (clock_now() - forecast->start) * forecast->options.present);
}
