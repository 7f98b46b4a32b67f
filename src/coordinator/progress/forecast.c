#include "coordinator/progress/progress.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

struct forecast *forecast_new(const struct forecast_options *options)
{
    struct forecast *forecast = memory_new(1, sizeof *forecast);
    forecast->options = *options;
    forecast->bound = memory_new((size_t)options->ranks, sizeof *forecast->bound);
    return forecast;
}

void forecast_free(struct forecast *forecast)
{
    if (!forecast)
        return;
    free(forecast->bound);
    free(forecast);
}

/* So much more is left of a part; less, if negative. */
static void add(struct forecast *forecast, enum forecast_part part, double expected)
{
    forecast->left[part] = fmax(0, forecast->left[part] + expected);
}

static void end(struct forecast *forecast, enum forecast_part part, double expected, double seconds)
{
    add(forecast, part, -expected);
    forecast->expected[part] += seconds > 0 ? expected : 0;
    forecast->took[part] += seconds > 0 ? seconds : 0;
}

void forecast_add(struct forecast *forecast, double expected)
{
    add(forecast, FORECAST_FIRST, expected);
    add(forecast, FORECAST_REPLICATE, forecast->options.further * expected);
    add(forecast, FORECAST_COUNT, forecast->options.counts ? expected : 0);
}

void forecast_add_count(struct forecast *forecast, double expected)
{
    add(forecast, FORECAST_COUNT, expected);
}

/* Change what a rank has to measure again; any rank, unless that is bound. */
static void add_bound(struct forecast *forecast, int rank, double seconds)
{
    rank = forecast->options.bound ? rank : 0;
    double before = forecast->bound[rank];
    forecast->bound[rank] = fmax(0, before + seconds);
    forecast->all_bound = fmax(0, forecast->all_bound + forecast->bound[rank] - before);
}

void forecast_add_partial(struct forecast *forecast, int rank, double seconds)
{
    add_bound(forecast, rank, seconds);
}

void forecast_add_timed(struct forecast *forecast, double expected, int rank, double seconds, double again,
                        bool ok)
{
    end(forecast, FORECAST_FIRST, expected, ok ? seconds : 0);
    add(forecast, FORECAST_REPLICATE, -(forecast->options.further * expected));
    add(forecast, FORECAST_COUNT, forecast->options.counts ? -expected : 0);
    if (ok)
        add_bound(forecast, rank, forecast->options.further * (again > 0 ? again : seconds));
}

void forecast_add_replicate(struct forecast *forecast, int rank, double seconds)
{
    forecast->took[FORECAST_REPLICATE] += seconds > 0 ? seconds : 0;
    add_bound(forecast, rank, -seconds);
}

void forecast_add_counted(struct forecast *forecast, double expected, double seconds)
{
    end(forecast, FORECAST_COUNT, expected, seconds);
}

void forecast_lose(struct forecast *forecast, int rank)
{
    if (forecast->options.bound)
        add_bound(forecast, rank, -forecast->bound[rank]);
    forecast->options.present -= forecast->options.present > 1;
}

/* Seconds for each expected one; of replicates those of timing: what is left of these is of points that have not been timed. */
static double pace(const struct forecast *forecast, enum forecast_part part)
{
    enum forecast_part of = part == FORECAST_REPLICATE ? FORECAST_FIRST : part;
    return forecast->expected[of] > 0 ? forecast->took[of] / forecast->expected[of] : 1;
}

static double work_left(const struct forecast *forecast)
{
    double left = forecast->all_bound;
    for (enum forecast_part part = 0; part < FORECAST_PARTS; part++)
        left += forecast->left[part] * pace(forecast, part);
    return left;
}

double forecast_counting_room(const struct forecast *forecast, int rank)
{
    double own = forecast->bound[rank], share = work_left(forecast) / forecast->options.present;
    return forecast->options.bound ? (share - own) / pace(forecast, FORECAST_COUNT) : INFINITY;
}

double forecast_left(const struct forecast *forecast, double now)
{
    double took = 0, longest = 0;
    for (enum forecast_part part = 0; part < FORECAST_PARTS; part++)
        took += forecast->took[part];
    for (int rank = 0; rank < forecast->options.ranks && forecast->options.bound; rank++)
        longest = fmax(longest, forecast->bound[rank]);
    if (!(took > 0))
        return NAN;
    /* Ranks also wait, and start processes. */
    double overhead = fmax(1, (now - forecast->options.start) * forecast->options.present / took);
    return fmax(overhead * work_left(forecast) / forecast->options.present, longest);
}
