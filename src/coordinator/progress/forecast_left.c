/* forecast_left.c - compute the remaining time from the collected times. */
#include <math.h>

#include "coordinator/progress/forecast_state.h"

#define OWN_AFTER                                                                                            \
    0.05 /* share of the work: from then on the pace of this run is used instead of earlier runs' */
#define FIRST_FEW 0.1 /* share of one replicate of all points */

double forecast_bucket_left(const struct forecast *forecast, const struct bucket *bucket)
{
    const struct forecast_sum *all = &forecast->done;
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

/* Remaining first measurements of a kind, of points whose counting time is known or not; NaN: unknown. */
static double points_left(const struct forecast *forecast, enum kind kind, bool counts_known)
{
    double left = 0;
    for (size_t i = 0; i < forecast->buckets; i++) {
        const struct bucket *bucket = &forecast->bucket[i];
        if (bucket->kind == kind && bucket->counts_known == counts_known && bucket->left > 1e-9)
            left += forecast_bucket_left(forecast, bucket);
    }
    return left;
}

/* Counting of points whose counting time is known. */
static double recount(const struct forecast *forecast, double recalled)
{
    const struct forecast_sum *tally = &forecast->recounted;
    return tally->expected > 0 ? recalled * tally->seconds / tally->expected : recalled;
}

/* Counting of other points, in proportion to their timing. NaN: neither this run nor an earlier one has counted any. */
static double first_count(const struct forecast *forecast, enum kind kind, double timed)
{
    const struct forecast_sum *counted = &forecast->counted[kind];
    if (!forecast->options.counters || !(timed > 1e-6))
        return 0;
    return timed * (counted->expected > 0 ? counted->seconds / counted->expected
                                          : history_counting(forecast->options.history,
                                                             forecast->options.counters, kind == EXCLUSIVE));
}

/* How much slower replicates are than expected. The first few have little weight. */
static double slower(const struct forecast *forecast)
{
    double first = FIRST_FEW * forecast->all_again;
    return forecast->again_expected > 0 ? (first + forecast->again) / (first + forecast->again_expected) : 1;
}

/* Remaining replicates: of `points` seconds of first measurements that are left, and of finished ones. */
static double again_left(const struct forecast *forecast, double points)
{
    double share = forecast->done.seconds > 0 ? fmin(1, forecast->all_again / forecast->done.seconds) : 1;
    return slower(forecast) * (forecast->options.further * share * points + forecast->all_bound);
}

/* Seconds since a busy rank has reported. */
static double unreported(const struct assignment *assignment, double now)
{
    return assignment->busy ? fmax(0, now - assignment->heard) : 0;
}

/* The longest time that a single rank needs for what only it can do. */
static double longest_rank(const struct forecast *forecast, double overhead, double now)
{
    double longest = 0;
    for (int rank = 0; rank < forecast->options.ranks; rank++) {
        const struct assignment *assignment = &forecast->rank[rank];
        double counting = first_count(forecast, assignment->kind, assignment->uncounted);
        double own =
            assignment->timing + recount(forecast, assignment->recalled) + (isnan(counting) ? 0 : counting);
        if (forecast->options.bound)
            own += slower(forecast) * assignment->bound;
        longest = fmax(longest, overhead * own - unreported(assignment, now));
    }
    return longest;
}

/* What all ranks have to do: first measurements, counting, and replicates. NaN: unknown. */
struct left {
    double points, counting, again;
};

static struct left all_left(const struct forecast *forecast)
{
    struct left left = {0};
    for (enum kind kind = 0; kind < KINDS; kind++) {
        double some = points_left(forecast, kind, false);
        left.points += some + points_left(forecast, kind, true);
        left.counting += recount(forecast, forecast->recalled[kind]) +
                         first_count(forecast, kind, some + forecast->uncounted[kind]);
    }
    left.again = again_left(forecast, left.points);
    return left;
}

bool forecast_has_share(const struct forecast *forecast, int rank, double counting)
{
    double bound = slower(forecast) * forecast->rank[rank].bound;
    for (size_t i = 0; i < forecast->buckets; i++)
        if (forecast->bucket[i].kind == EXCLUSIVE)
            return false;
    struct left left = all_left(forecast);
    return forecast->options.bound && bound > 0 &&
           bound * forecast->present >= left.points + left.again + counting;
}

double forecast_left(const struct forecast *forecast, double now)
{
    const struct forecast_options *options = &forecast->options;
    double reported = 0, done = forecast->work + forecast->counting;
    struct left part = all_left(forecast);
    double points = part.points, again = part.again, counting = part.counting;
    double left = points + again + counting;
    if (!(forecast->work > 0))
        return NAN; /* the pace of this run is unknown before the first point */
    if (isnan(left) || done <= OWN_AFTER * (done + left) || !(forecast->spent > 0)) {
        /* Use the overhead of earlier runs. */
        if (isnan(counting) && !history_has_runs(options->history))
            return NAN;
        return (points + again) * history_overhead(options->history) / forecast->present;
    }
    double overhead = fmax(1, forecast->spent / done);
    for (int rank = 0; rank < options->ranks; rank++)
        reported += unreported(&forecast->rank[rank], now);
    return fmax(fmax(0, overhead * left - reported) / forecast->present,
                longest_rank(forecast, overhead, now));
}
