#include "coordinator/progress/progress.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "plan/grid.h"

/* s for each rank, of points that nobody has timed: a rank that begins its replicates before them starts as many processes again
 * for those that it times afterwards. */
#define EARLY_LEAST 0.5

struct forecast *forecast_new(const struct forecast_options *options)
{
    struct forecast *forecast = memory_new(1, sizeof *forecast);
    forecast->options = *options;
    forecast->again = memory_new(grid_count(options->grid) + 1, sizeof *forecast->again);
    forecast->bound = memory_new((size_t)options->ranks, sizeof *forecast->bound);
    return forecast;
}

void forecast_free(struct forecast *forecast)
{
    if (!forecast)
        return;
    free(forecast->again);
    free(forecast->bound);
    free(forecast);
}

static double expected_of(const struct forecast *forecast, uint32_t index)
{
    struct point point = grid_point(forecast->options.grid, index);
    return order_expected_seconds(&point, forecast->options.timing);
}

static void take(double *seconds, double part)
{
    *seconds = fmax(0, *seconds - part);
}

void forecast_add(struct forecast *forecast, uint32_t index)
{
    struct point point = grid_point(forecast->options.grid, index);
    const struct family *family = family_of(&point);
    double seconds = expected_of(forecast, index);
    forecast->left[FORECAST_FIRST] += seconds;
    forecast->left[FORECAST_REPLICATE] += forecast->options.further * seconds;
    forecast->counts += forecast->options.counts;
    forecast->exclusive |= family->node_exclusive && (family->devices || !forecast->options.links_apart);
}

void forecast_add_countable(struct forecast *forecast, double counting)
{
    forecast->countable += counting;
    forecast->countables++;
}

void forecast_add_count(struct forecast *forecast, double counting)
{
    forecast->counts++;
    forecast_add_countable(forecast, counting);
}

/* Change what a rank has to measure again. */
static void add_bound(struct forecast *forecast, int rank, double seconds)
{
    forecast->bound[rank] = fmax(0, forecast->bound[rank] + seconds);
    forecast->all_bound = fmax(0, forecast->all_bound + seconds);
}

void forecast_add_partial(struct forecast *forecast, uint32_t index, int rank, uint32_t processes,
                          double seconds)
{
    forecast->again[index] = (float)(isnan(seconds) ? expected_of(forecast, index) : seconds);
    add_bound(forecast, rank, processes * (double)forecast->again[index]);
}

static void tally(struct forecast *forecast, enum forecast_part part, double expected, double seconds)
{
    forecast->expected[part] += seconds > 0 ? expected : 0;
    forecast->took[part] += seconds > 0 ? seconds : 0;
}

void forecast_add_timed(struct forecast *forecast, uint32_t index, int rank, double seconds, double again,
                        bool ok)
{
    double expected = expected_of(forecast, index);
    take(&forecast->left[FORECAST_FIRST], expected);
    take(&forecast->left[FORECAST_REPLICATE], forecast->options.further * expected);
    if (!ok) {
        forecast->counts -= forecast->options.counts;
        return;
    }
    tally(forecast, FORECAST_FIRST, expected, seconds);
    forecast->again[index] =
        (float)(again > 0 ? fmin(again, seconds) : seconds); /* not every back end reports it */
    forecast->all_again += forecast->again[index];
    add_bound(forecast, rank, forecast->options.further * (double)forecast->again[index]);
}

void forecast_add_replicate(struct forecast *forecast, uint32_t index, int rank, double seconds)
{
    double expected = forecast->again[index];
    add_bound(forecast, rank, -expected);
    tally(forecast, FORECAST_REPLICATE, expected, seconds);
}

void forecast_add_counted(struct forecast *forecast, double expected, double seconds)
{
    take(&forecast->countable, expected);
    forecast->counts--;
    forecast->counted++;
    tally(forecast, FORECAST_COUNT, expected, seconds);
}

void forecast_lose(struct forecast *forecast, int rank)
{
    add_bound(forecast, rank, -forecast->bound[rank]);
    forecast->options.present -= forecast->options.present > 1;
}

/* Seconds for each expected one. */
static double pace(const struct forecast *forecast, enum forecast_part part)
{
    return forecast->expected[part] > 0 ? forecast->took[part] / forecast->expected[part] : 1;
}

/* Expected, of counting. Points that have not been timed take as long as those that have, on average; or if there are none, as long as
 * timing them. */
static double counting_left(const struct forecast *forecast)
{
    size_t waiting = forecast->countables - forecast->counted, unknown = forecast->counts - waiting;
    double all = forecast->countable + forecast->expected[FORECAST_COUNT];
    if (!forecast->countables)
        return forecast->counts ? forecast->left[FORECAST_FIRST] * pace(forecast, FORECAST_FIRST) : 0;
    return forecast->countable + (double)unknown * all / (double)forecast->countables;
}

static double work_left(const struct forecast *forecast, enum forecast_part part)
{
    if (part == FORECAST_COUNT)
        return counting_left(forecast) * pace(forecast, part);
    if (part != FORECAST_REPLICATE)
        return forecast->left[part] * pace(forecast, part);
    double first = forecast->expected[FORECAST_FIRST], again = first > 0 ? forecast->all_again / first : 1;
    return pace(forecast, part) * (forecast->left[part] * again + forecast->all_bound);
}

/* Seconds by which what only this rank can do is shorter than a rank's share of all that is left. */
static double slack(const struct forecast *forecast, int rank)
{
    double left = 0;
    for (enum forecast_part part = 0; part < FORECAST_PARTS; part++)
        left += work_left(forecast, part);
    return left / forecast->options.present - forecast->bound[rank] * pace(forecast, FORECAST_REPLICATE);
}

bool forecast_has_share(const struct forecast *forecast, int rank)
{
    return forecast->options.bound && !forecast->exclusive && forecast->bound[rank] > 0 &&
           work_left(forecast, FORECAST_FIRST) > EARLY_LEAST * forecast->options.present &&
           slack(forecast, rank) <= 0;
}

double forecast_counting_room(const struct forecast *forecast, int rank)
{
    return forecast->options.bound ? slack(forecast, rank) / pace(forecast, FORECAST_COUNT) : INFINITY;
}

double forecast_left(const struct forecast *forecast, double now)
{
    double took = 0, left = 0, longest = 0;
    for (enum forecast_part part = 0; part < FORECAST_PARTS; part++) {
        took += forecast->took[part];
        left += work_left(forecast, part);
    }
    for (int rank = 0; rank < forecast->options.ranks && forecast->options.bound; rank++)
        longest = fmax(longest, forecast->bound[rank] * pace(forecast, FORECAST_REPLICATE));
    if (!(took > 0))
        return NAN;
    /* Ranks also wait, and start processes. */
    double overhead = fmax(1, (now - forecast->options.start) * forecast->options.present / took);
    return fmax(overhead * left / forecast->options.present, longest);
}
