#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "coordinator/progress/forecast_state.h"
#include "plan/order.h"

struct forecast *forecast_new(const struct forecast_options *options)
{
    struct forecast *forecast = memory_new(1, sizeof *forecast);
    *forecast = (struct forecast){.options = *options, .present = options->present};
    forecast->item = memory_new(grid_count(options->grid) + 1, sizeof *forecast->item);
    forecast->rank = memory_new((size_t)options->ranks, sizeof *forecast->rank);
    return forecast;
}

void forecast_free(struct forecast *forecast)
{
    if (!forecast)
        return;
    free(forecast->item);
    free(forecast->bucket);
    free(forecast->rank);
    free(forecast);
}

static enum kind kind_of(const struct forecast *forecast, const struct point *point)
{
    const struct family *family = family_of(point);
    bool alone = family->node_exclusive && (family->devices || !forecast->options.links_apart);
    return alone ? EXCLUSIVE : SHARED;
}

/* An exclusive point blocks all ranks of its node. */
static double weight(const struct forecast *forecast, enum kind kind)
{
    return kind == EXCLUSIVE ? (double)forecast->options.present / forecast->options.nodes : 1;
}

static struct bucket *find_bucket(struct forecast *forecast, const struct point *point, uint32_t index,
                                  bool known)
{
    bool counts_known = !isnan(forecast->item[index].counts);
    int class = 0;
    double guess = order_expected_seconds(point, forecast->options.timing);
    if (guess > 0)
        frexp(guess, &class);
    for (size_t i = 0; i < forecast->buckets; i++) { /* some dozens: kernels times powers of two */
        struct bucket *bucket = &forecast->bucket[i];
        if (bucket->space == point->space && bucket->class == class && bucket->known == known &&
            bucket->counts_known == counts_known)
            return bucket;
    }
    forecast->bucket = memory_grow(forecast->bucket, forecast->buckets, &forecast->bucket_capacity,
                                   sizeof *forecast->bucket);
    forecast->bucket[forecast->buckets] = (struct bucket){.space = point->space,
                                                          .class = class,
                                                          .known = known,
                                                          .counts_known = counts_known,
                                                          .kind = kind_of(forecast, point),
                                                          .example = index};
    return &forecast->bucket[forecast->buckets++];
}

void forecast_add(struct forecast *forecast, uint32_t index)
{
    const struct forecast_options *options = &forecast->options;
    struct item *item = &forecast->item[index];
    struct point point = grid_point(options->grid, index);
    double seconds = history_recall(options->history, &point, options->timing);
    bool known = !isnan(seconds);
    if (!known)
        seconds = history_guess(options->history, &point, options->timing);
    double counts = options->counters ? history_recall_counted(options->history, &point, options->timing) : 0;
    item->expected = (float)seconds;
    item->counts = (float)counts;
    struct bucket *bucket = find_bucket(forecast, &point, index, known);
    double heavy = weight(forecast, bucket->kind);
    item->bucket = (uint16_t)(bucket - forecast->bucket);
    item->counts *= (float)heavy;
    bucket->left += heavy;
    bucket->waiting += seconds * heavy;
    forecast->recalled[bucket->kind] += bucket->counts_known ? item->counts : 0;
}

void forecast_start(struct forecast *forecast, double now)
{
    forecast->start = now;
}

/* ---- Assigned work ---- */

/* Counting of points that this run has timed. */
static void assign_count(const struct forecast *forecast, const struct item *item,
                         struct assignment *assignment)
{
    const struct bucket *bucket = &forecast->bucket[item->bucket];
    assignment->kind = bucket->kind;
    assignment->recalled += item->timed > 0 && bucket->counts_known ? item->counts : 0;
    assignment->uncounted += bucket->counts_known ? 0 : item->timed;
}

void forecast_assign(struct forecast *forecast, uint32_t index, int rank, bool count)
{
    struct item *item = &forecast->item[index];
    struct assignment *assignment = &forecast->rank[rank];
    if (forecast->buckets && count)
        assign_count(forecast, item, assignment);
    if (!forecast->buckets || count || item->again > 0)
        return; /* a replicate is accounted for already */
    const struct bucket *bucket = &forecast->bucket[item->bucket];
    double heavy = weight(forecast, bucket->kind), left = forecast_bucket_left(forecast, bucket);
    double part = bucket->waiting > 0 ? item->expected * heavy / bucket->waiting : heavy / bucket->left;
    item->given = left > 0 ? (float)(left * part) : 0;
    assignment->timing += item->given;
    assignment->kind = bucket->kind;
}

void forecast_begin_batch(struct forecast *forecast, int rank, double now, bool refused)
{
    struct assignment *assignment = &forecast->rank[rank];
    if (!refused && assignment->heard > 0)
        forecast->spent += now - assignment->heard;
    assignment->busy = true;
    assignment->heard = now;
}

double forecast_report(struct forecast *forecast, int rank, double now)
{
    struct assignment *assignment = &forecast->rank[rank];
    double seconds = assignment->busy ? now - assignment->heard : 0;
    forecast->spent += seconds * weight(forecast, assignment->kind);
    assignment->heard = now;
    return seconds;
}

void forecast_mark_idle(struct forecast *forecast, int rank)
{
    const struct assignment *assignment = &forecast->rank[rank];
    forecast->rank[rank] = (struct assignment){.bound = assignment->bound, .heard = assignment->heard};
}

/* Change the seconds of replicates that a rank has to measure. */
static void add_bound(struct forecast *forecast, int rank, double seconds)
{
    forecast->rank[rank].bound = fmax(0, forecast->rank[rank].bound + seconds);
    forecast->all_bound = fmax(0, forecast->all_bound + seconds);
}

void forecast_add_partial(struct forecast *forecast, uint32_t index, int rank, uint32_t processes,
                          double seconds)
{
    const struct forecast_options *options = &forecast->options;
    struct point point = grid_point(options->grid, index);
    if (isnan(seconds))
        seconds = order_expected_seconds(&point, options->timing);
    seconds *= weight(forecast, kind_of(forecast, &point));
    forecast->item[index].again = (float)seconds;
    add_bound(forecast, rank, processes * (double)forecast->item[index].again);
}

void forecast_lose(struct forecast *forecast, int rank)
{
    add_bound(forecast, rank, -forecast->rank[rank].bound);
    forecast_mark_idle(forecast, rank);
    forecast->present -= forecast->present > 1;
}

/* ---- Finished work ---- */

static void take(double *seconds, double part)
{
    *seconds = fmax(0, *seconds - part);
}

static void tally(struct forecast_sum *tally, double expected, double seconds)
{
    tally->seconds += seconds;
    tally->expected += isnan(expected) ? 0 : expected;
}

void forecast_add_timed(struct forecast *forecast, uint32_t index, int rank, double seconds, double again,
                        bool ok)
{
    const struct forecast_options *options = &forecast->options;
    struct item *item = &forecast->item[index];
    struct assignment *assignment = &forecast->rank[rank];
    if (!forecast->buckets)
        return; /* there is nothing to measure */
    struct bucket *bucket = &forecast->bucket[item->bucket];
    struct point point = grid_point(options->grid, index);
    double heavy = weight(forecast, bucket->kind);
    seconds = seconds > 0 ? seconds : 0;
    again = again > 0 ? fmin(again, seconds) : seconds; /* not every back end reports it */
    forecast->work += seconds * heavy;
    take(&assignment->timing, item->given);
    bucket->left -= heavy;
    bucket->waiting -= item->expected * heavy;
    if (!ok) {
        take(&forecast->recalled[bucket->kind], bucket->counts_known ? item->counts : 0);
        return;
    }
    bucket->points++;
    tally(&bucket->done, item->expected, seconds);
    tally(&forecast->done, item->expected, seconds);
    history_add(options->history, &point, options->timing, seconds);
    item->timed = (float)(seconds * heavy);
    item->again = (float)(again * heavy);
    if (!bucket->counts_known)
        forecast->uncounted[bucket->kind] += item->timed;
    forecast->all_again += item->again;
    add_bound(forecast, rank, options->further * (double)item->again);
}

void forecast_add_counted(struct forecast *forecast, uint32_t index, int rank, double seconds)
{
    const struct forecast_options *options = &forecast->options;
    struct item *item = &forecast->item[index];
    struct assignment *assignment = &forecast->rank[rank];
    struct point point = grid_point(options->grid, index);
    enum kind kind = kind_of(forecast, &point);
    double heavy = weight(forecast, kind) * seconds;
    forecast->counting += heavy;
    if (!(item->timed > 0))
        return; /* timed by an earlier run */
    history_add_counted(options->history, &point, options->timing, seconds);
    tally(&forecast->counted[kind], item->timed, heavy);
    if (isnan(item->counts)) {
        take(&forecast->uncounted[kind], item->timed);
        take(&assignment->uncounted, item->timed);
    } else {
        tally(&forecast->recounted, item->counts, heavy);
        take(&forecast->recalled[kind], item->counts);
        take(&assignment->recalled, item->counts);
    }
    item->timed = 0;
}

void forecast_add_repeat(struct forecast *forecast, uint32_t index, int rank, double seconds)
{
    double expected = forecast->item[index].again;
    if (!(seconds > 0))
        return;
    add_bound(forecast, rank, -expected);
    forecast->work += seconds;
    forecast->again += expected > 0 ? seconds : 0;
    forecast->again_expected += expected;
}

void forecast_remember(struct forecast *forecast, double fixed, double now)
{
    const struct forecast_options *options = &forecast->options;
    for (enum kind kind = 0; kind < KINDS && options->counters; kind++)
        history_add_counting(options->history, options->counters, kind == EXCLUSIVE,
                             forecast->counted[kind].expected, forecast->counted[kind].seconds);
    history_add_run(options->history, fixed, forecast->work, (now - forecast->start) * options->present);
}
