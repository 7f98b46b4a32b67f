#include "figure/tables/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/best.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/bound.h"
#include "core/roof.h"
#include "prediction/judge.h"
#include "prediction/profile_data.h"

#define PARTS_MAX   24   /* of a bar */
#define PARTS_SHOWN 7    /* the largest ones, beside "others": one for each colour */
#define PART_MIN    0.05 /* of a bar; parts that are smaller in all bars are merged into "others" */

static int none(const struct merged *table, const char *what, struct error *why)
{
    return table->all.results.rows ? 0 : error_set(why, ERROR_USAGE, "%s", what);
}

/* ---- Bars of parts ---- */

struct bar {
    const char *group, *kernel;
    double part[PARTS_MAX], whole; /* parts are shares of it */
};

struct bars {
    struct bar *bar; /* owned */
    size_t count;
    const char *word[PARTS_MAX]; /* names of the parts */
    int parts;
};

static struct bar *add_bar(struct bars *bars, const char *group, const char *kernel)
{
    for (size_t i = 0; i < bars->count; i++)
        if (!strcmp(bars->bar[i].group, group) && !strcmp(bars->bar[i].kernel, kernel))
            return &bars->bar[i];
    bars->bar = memory_resize(bars->bar, bars->count + 1, sizeof *bars->bar);
    bars->bar[bars->count] = (struct bar){.group = group, .kernel = kernel};
    return &bars->bar[bars->count++];
}

static int part_called(struct bars *bars, const char *word)
{
    for (int i = 0; i < bars->parts; i++)
        if (!strcmp(bars->word[i], word))
            return i;
    if (bars->parts == PARTS_MAX)
        return PARTS_MAX - 1;
    bars->word[bars->parts] = word;
    return bars->parts++;
}

static const char every[] = "all families";

static int compare_names(const char *a, const char *b)
{
    return (!strcmp(a, every)) - (!strcmp(b, every)) ? (!strcmp(a, every)) - (!strcmp(b, every))
                                                     : strcmp(a, b);
}

/* Position of a family: the number of distinct families after it. They are sorted by name, the first on top and "all
 * families" at the bottom. */
static double place_of(const char *kernel, const char *const *kernels, size_t count)
{
    double after = 0;
    for (size_t i = 0; i < count; i++) {
        bool counts = compare_names(kernels[i], kernel) > 0;
        for (size_t k = 0; k < i && counts; k++)
            counts = strcmp(kernels[k], kernels[i]) != 0;
        after += counts;
    }
    return after;
}

static double place_of_bar(const struct bars *bars, size_t which)
{
    const char **kernels = memory_new(bars->count, sizeof *kernels);
    for (size_t i = 0; i < bars->count; i++)
        kernels[i] = bars->bar[i].kernel;
    double place = place_of(bars->bar[which].kernel, kernels, bars->count);
    free(kernels);
    return place;
}

/* The largest share that a part has of a bar. */
static double largest_share(const struct bars *bars, int part)
{
    double share = 0;
    for (size_t i = 0; i < bars->count; i++)
        if (bars->bar[i].whole > 0)
            share = fmax(share, bars->bar[i].part[part] / bars->bar[i].whole);
    return share;
}

/* Small in all bars, or not among the largest: there are no more colours. */
static bool is_small(const struct bars *bars, int part)
{
    double share = largest_share(bars, part);
    int larger = 0;
    for (int p = 0; p < bars->parts; p++) {
        double other = largest_share(bars, p);
        larger += other > share || (other == share && p < part);
    }
    return share < PART_MIN || larger >= PARTS_SHOWN;
}

/* A row per part with start and end in % of the whole. Small parts are merged at the end. */
static void put_bar(const struct bars *bars, size_t which, const char *column, struct merged *table)
{
    static const char *const names[] = {COLUMN(end), COLUMN(start), COLUMN(place)};
    const struct bar *bar = &bars->bar[which];
    double start = 0, small = 0, place = place_of_bar(bars, which);
    for (int p = 0; p <= bars->parts; p++) {
        bool last = p == bars->parts;
        if (!last && is_small(bars, p)) {
            small += bar->part[p];
            continue;
        }
        double end = start + 100 * (last ? small : bar->part[p]) / bar->whole;
        const double values[] = {end, start, place};
        if (!(end > start + 1e-9))
            continue;
        rows_add(table, bar->group, bar->kernel, names, values, 3);
        rows_add_word(table, column, last ? "others" : bars->word[p]);
        start = end;
    }
}

static void put_bars(struct bars *bars, const char *column, struct merged *table)
{
    for (size_t i = 0; i < bars->count; i++)
        if (bars->bar[i].whole > 0)
            put_bar(bars, i, column, table);
    free(bars->bar);
}

/* ---- The best of each family ---- */

/* "A library's kernel is the closest of matmul". */
static void add_vendor(const struct merged *all, size_t row, struct text *caption)
{
    struct text one = {0};
    text_add(&one, " %s", merge_text(all, row, COLUMN(kernel)));
    if (!caption->length)
        text_add(caption, "A library's kernel is the closest of%s", one.data);
    else if (!strstr(caption->data, one.data))
        text_add(caption, ",%s", one.data);
    text_free(&one);
}

int stacks_best(const struct merged *all, const struct view *view, struct merged *table, struct text *caption,
                struct error *why)
{
    static const char *const names[] = {COLUMN(share), COLUMN(share_low), COLUMN(share_high), COLUMN(place)};
    struct best *best;
    size_t count = best_of_families(all, view, &best);
    const char **kernels = memory_new(count + 1, sizeof *kernels);
    for (size_t b = 0; b < count; b++)
        kernels[b] = best[b].kernel;
    for (size_t b = 0; b < count; b++) {
        size_t row = best[b].closest;
        double share = 100 * merge_real(all, row, COLUMN(fraction_peak)),
               median = merge_real(all, row, COLUMN(time_median));
        double low = 100 * merge_real(all, row, COLUMN(fraction_peak_low)),
               high = 100 * merge_real(all, row, COLUMN(fraction_peak_high));
        const double values[] = {
            share, isnan(low) ? share * median / merge_real(all, row, COLUMN(time_ci_high)) : low,
            isnan(high) ? share * median / merge_real(all, row, COLUMN(time_ci_low)) : high,
            place_of(best[b].kernel, kernels, count)};
        rows_add(table, merge_text(all, row, MERGE_GROUP), best[b].kernel, names, values, 4);
        int roof = text_find(roof_words, merge_text(all, row, COLUMN(roof)));
        rows_add_word(
            table, COLUMN(roof_name),
            roof < 0 ? merge_text(all, row, COLUMN(roof))
                     : roof_name(roof_by_bytes((enum roof_kind)roof, merge_real(all, row, COLUMN(bytes_read)),
                                               merge_real(all, row, COLUMN(bytes_written)))));
        if (best_is_vendor(all, row))
            add_vendor(all, row, caption);
    }

    free(kernels);
    free(best);
    return none(table, "no point has a roof", why);
}

/* ---- Stall reasons ---- */

int stacks_stalls(const struct merged *all, const struct view *view, struct merged *table, struct error *why)
{
    static const char *const reasons[] = {"long scoreboard",
                                          "short scoreboard",
                                          "barrier",
                                          "mio throttle",
                                          "lg throttle",
                                          "math pipe throttle",
                                          "wait",
                                          "not selected",
                                          "drain"};
    struct best *best;
    struct bars bars = {0};
    size_t count = best_of_families(all, view, &best);
    for (size_t b = 0; b < count; b++)
        for (size_t r = 0; r < sizeof reasons / sizeof *reasons; r++) {
            char column[64];
            snprintf(column, sizeof column, "stall_%s", reasons[r]);
            for (char *at = column; *at; at++)
                *at = *at == ' ' ? '_' : *at;
            double cycles = merge_real(all, best[b].row, column);
            if (!(cycles > 0)) /* or not counted */
                continue;
            struct bar *bar = add_bar(&bars, merge_text(all, best[b].row, MERGE_GROUP), best[b].kernel);
            bar->part[part_called(&bars, reasons[r])] += cycles;
            bar->whole += cycles;
        }
    free(best);
    put_bars(&bars, COLUMN(reason), table);
    return none(table, "no stalls were counted", why);
}

/* ---- Time lost against the roof ---- */

/* Profiles of the devices that rows were measured on. */
struct profiles {
    struct profile *profile;
    bool *made;
};

/* What `report --bounds` says of a measured point; of others, what the file says. */
static enum bound bound_of(const struct merged *all, size_t row, struct profiles *profiles)
{
    int64_t device = dataset_device_of(&all->all, row);
    if (device < 0 || !profile_device_measured(&all->all, (size_t)device)) {
        int stored = text_find(bound_words, merge_text(all, row, COLUMN(bound)));
        return stored > BOUND_none ? (enum bound)stored : BOUND_none;
    }
    struct profile *profile = &profiles->profile[device];
    if (!profiles->made[device]) {
        *profile = profile_of_dataset(&all->all, (size_t)device, "");
        profile_assume(profile);
        profiles->made[device] = true;
    }
    struct judged judged;
    return judge_row(&all->all, row, profile, &judged) ? judged.time.bound : BOUND_none;
}

/* The time that a row takes beyond its roof, in seconds; NaN if it has no roof or time. */
static double seconds_lost(const struct merged *all, size_t row)
{
    double share = merge_real(all, row, COLUMN(fraction_peak)),
           seconds = merge_real(all, row, COLUMN(time_median));
    bool counts = status_is_ok(merge_text(all, row, COLUMN(status))) && *merge_text(all, row, MERGE_GROUP) &&
                  share > 0 && seconds > 0;
    return counts ? seconds * fmax(0, 1 - share) : NAN;
}

/* A bar per family and one for all: the share of time that each bound takes beyond the roof. Where no point has a bound, as of the
 * host back end, its roof takes that place. */
int stacks_bottlenecks(const struct merged *all, const struct view *view, struct merged *table,
                       struct error *why)
{
    struct bars bars = {0};
    size_t devices = all->all.devices.rows + 1;
    struct profiles profiles = {memory_new(devices, sizeof(struct profile)),
                                memory_new(devices, sizeof(bool))};
    enum bound *bound = memory_new(view->rows + 1, sizeof *bound);
    bool bounded = false;
    for (size_t i = 0; i < view->rows; i++) {
        dataset_evict_at(view->dataset, i);
        if (!isnan(seconds_lost(all, view->row[i])))
            bound[i] = bound_of(all, view->row[i], &profiles);
        bounded = bounded || bound[i] != BOUND_none;
    }
    for (size_t i = 0; i < view->rows; i++) {
        dataset_evict_at(view->dataset, i);
        size_t row = view->row[i];
        double lost = seconds_lost(all, row);
        if (isnan(lost))
            continue;
        const char *group = merge_text(all, row, MERGE_GROUP);
        int part = part_called(&bars, bounded ? bound_name(bound[i])
                                              : roof_in_words(merge_text(all, row, COLUMN(roof))));
        for (int whole = 0; whole < 2; whole++) {
            struct bar *bar = add_bar(&bars, group, whole ? every : merge_text(all, row, COLUMN(kernel)));
            bar->part[part] += lost;
            bar->whole += merge_real(all, row, COLUMN(time_median));
        }
    }
    put_bars(&bars, COLUMN(bound), table);
    free(profiles.profile);
    free(profiles.made);
    free(bound);
    return none(table, "no point has a roof", why);
}
