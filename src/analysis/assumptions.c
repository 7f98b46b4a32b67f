/* assumptions.c - what is printed below a comparison: what its verdicts assume, what differs between the sides, and how many
 * replicates would find more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "base/memory.h"
#include "table/print_text.h"
#include "statistics/between.h"

/* ---- Processes ---- */

/* Where the points of one side get their deviation between processes from. */
struct knowledge {
    size_t within, borrowed, measured;
    bool unlabelled; /* written by a release that did not say which process took a sample */
};

static struct knowledge knowledge_of(const struct comparison *comparison, bool second)
{
    struct knowledge k = {0};
    for (size_t i = 0; i < comparison->pairs; i++) {
        comparison_evict_at(comparison, i);
        const struct comparison_pair *pair = &comparison->pair[i];
        const struct entry *entry = second ? &pair->b : &pair->a;
        if (isnan(comparison->ratio[i].ratio) || entry->predicted)
            continue;
        k.measured++;
        k.within += entry->estimate.basis == LEVELS_WITHIN;
        k.borrowed += entry->borrowed;
        k.unlabelled |= frame_find(&entry->dataset->results, COLUMN(processes)) < 0;
    }
    return k;
}

/* For one side, or for both if they are the same; `whose` begins the sentences. */
static void assume_of(struct comparison *comparison, const char *whose, const char *others,
                      struct knowledge k, bool one_product)
{
    struct text *assumed = &comparison->assumed;
    if (k.unlabelled)
        text_add(assumed,
                 "%s: release 0.1 did not record processes; all samples of a point count as those of one "
                 "process.\n",
                 whose);
    if (k.borrowed)
        text_add(assumed,
                 "%s: one process measured %zu of %zu points. Its processes are assumed to differ as much as "
                 "those of %s%s.\n",
                 whose, k.borrowed, k.measured, others,
                 one_product ? "" : ", though the device is of another product");
    if (k.within)
        text_add(assumed,
                 "%s: one process measured %zu of %zu points, so the difference between processes is unknown "
                 "and assumed to be zero. A difference may be gone in the next run. `timing: {replicates: "
                 "3}` measures it.\n",
                 whose, k.within, k.measured);
}

static void assume_prediction(struct comparison *comparison, const char *side)
{
    text_add(&comparison->assumed,
             "%s was predicted, not measured. Its error is assumed to be the time model's root mean square "
             "error on the other side's measured points of the family. Points without known addresses are "
             "not compared.\n",
             side);
}

/* ---- What differs between the sides ---- */

static void add_difference(struct text *out, const char *what, const char *a, const char *b)
{
    if (strcmp(a, b) != 0)
        text_add(out, "%s%s (%.60s, %.60s)", out->length ? ", " : "", what, *a ? a : "unknown",
                 *b ? b : "unknown");
}

/* Measured roofs of DRAM by which units of one product are told apart: H200s are of two kinds, which differ by 2 % in reads and by
 * up to 11 % in scattered ones. */
static void add_roofs(struct text *out, const struct dataset *const side[2])
{
    static const char *const roofs[] = {DEVICE_COLUMN(peak_copy), DEVICE_COLUMN(peak_read)};
    for (size_t i = 0; i < sizeof roofs / sizeof *roofs; i++) {
        double a = frame_find_real(&side[0]->devices, 0, roofs[i]),
               b = frame_find_real(&side[1]->devices, 0, roofs[i]);
        if (fabs(log(b / a)) > BETWEEN_ROOFS)
            text_add(out, "%s%s (measured: %.4g, %.4g GB/s)", out->length ? ", " : "", roofs[i], a / 1e9,
                     b / 1e9);
    }
}

/* The different values of a column of /devices: "a and b". */
static struct text values_of(const struct frame *devices, int column)
{
    struct text all = {0};
    for (size_t d = 0; d < devices->rows; d++) {
        char text[64], before[64];
        size_t same = 0;
        print_human(&devices->column[column], *frame_cell(devices, d, column), text, sizeof text);
        for (; same < d; same++) {
            print_human(&devices->column[column], *frame_cell(devices, same, column), before, sizeof before);
            if (!strcmp(before, text))
                break;
        }
        if (same == d)
            text_add(&all, "%s%s", d ? " and " : "", text);
    }
    return all;
}

/* Of two files, by their devices and the latest run. */
static void assume_differences(struct comparison *comparison)
{
    static const char *const names[] = {"commit", "job", "seed", "hostname"};
    const struct dataset *side[2] = {NULL, NULL};
    struct text found = {0};
    for (size_t i = 0; i < comparison->pairs; i++) {
        side[0] = side[0] ? side[0] : comparison->pair[i].a.dataset;
        side[1] = side[1] ? side[1] : comparison->pair[i].b.dataset;
    }
    if (comparison->by || !side[0] || !side[1] || !side[0]->devices.rows || !side[1]->devices.rows)
        return;
    for (int i = 0; i < column_device_count; i++) {
        const char *name = column_devices[i].info.name;
        int a = frame_find(&side[0]->devices, name), b = frame_find(&side[1]->devices, name);
        if (a < 0 || b < 0 || device_is_measured(name) || !strcmp(name, DEVICE_COLUMN(ordinal)) ||
            !strcmp(name, DEVICE_COLUMN(pci)))
            continue;
        struct text of_a = values_of(&side[0]->devices, a), of_b = values_of(&side[1]->devices, b);
        add_difference(&found, name, of_a.data, of_b.data);
        text_free(&of_a);
        text_free(&of_b);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *a = dataset_environment(side[0], names[i]), *b = dataset_environment(side[1], names[i]);
        add_difference(&found, names[i], a ? a : "", b ? b : "");
    }
    if (strcmp(side[0]->job, side[1]->job) != 0)
        text_add(&found, "%sjob", found.length ? ", " : "");
    add_roofs(&found, side);
    text_add(&comparison->assumed,
             found.length ? "The sides differ in %s.\n"
                          : "The sides do not differ in device, driver, commit or job.%s\n",
             found.length ? found.data : "");
    text_free(&found);
}

/* ---- Replicates ---- */

/* Points of a state of L2 (LEVELS_KINDS: all), evenly spaced if there are many. */
struct spaced {
    size_t points, seen, scalings;
    struct verdict_scaling *scaling; /* owned */
};

enum { SPACED = 10000 };

static void spaced_add(struct spaced *spaced, const struct comparison *comparison, size_t i)
{
    const struct comparison_pair *pair = &comparison->pair[i];
    if (spaced->seen++ % (spaced->points / SPACED + 1) == 0)
        verdict_scaling_add(spaced->scaling, &spaced->scalings, &pair->a.estimate, &pair->b.estimate,
                            &comparison->ratio[i]);
}

/* One of each state, and one of all: in two passes, because pairs may be spilled. */
static void space(struct spaced *spaced, const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->pairs; i++) {
        comparison_evict_at(comparison, i);
        spaced[comparison->pair[i].a.estimate.kind].points++;
        spaced[LEVELS_KINDS].points++;
    }
    for (int k = 0; k <= LEVELS_KINDS; k++)
        spaced[k].scaling =
            memory_new(spaced[k].points < SPACED ? spaced[k].points + 1 : SPACED, sizeof *spaced[k].scaling);
    for (size_t i = 0; i < comparison->pairs; i++) {
        comparison_evict_at(comparison, i);
        spaced_add(&spaced[comparison->pair[i].a.estimate.kind], comparison, i);
        spaced_add(&spaced[LEVELS_KINDS], comparison, i);
    }
}

/* How many replicates would find twice the threshold, if these are too few: of all points, and by state of L2, which decides how
 * much processes differ. */
static void tell_replicates(struct comparison *comparison)
{
    static const char *const names[LEVELS_KINDS] = {[LEVELS_ON_DEVICE] = "cold",
                                                    [LEVELS_HOT] = "hot",
                                                    [LEVELS_ROTATE] = "rotate",
                                                    [LEVELS_WITH_HOST] = "host link"};
    const double effect = 2 * comparison->rule.threshold, share = 0.95;
    struct spaced spaced[LEVELS_KINDS + 1] = {0};
    struct text of_kinds = {0};
    size_t kinds = 0, all = 0;
    /* NaN: not even a factor of e would be found */
    if (verdict_detectable(&comparison->rule, comparison->ratio, NULL, comparison->pairs, share) <= effect)
        return;
    space(spaced, comparison);
    for (int k = 0; k <= LEVELS_KINDS; k++) {
        size_t replicates =
            verdict_replicates(&comparison->rule, spaced[k].scaling, spaced[k].scalings, effect, share);
        free(spaced[k].scaling);
        if (k == LEVELS_KINDS)
            all = replicates;
        else if (replicates)
            text_add(&of_kinds, "%s%s %s%d", kinds++ ? ", " : "", names[k],
                     replicates > VERDICT_REPLICATES_MAX ? "over " : "",
                     replicates > VERDICT_REPLICATES_MAX ? VERDICT_REPLICATES_MAX : (int)replicates);
    }
    if (all > VERDICT_REPLICATES_MAX)
        text_add(&comparison->assumed,
                 "Even %d replicates would not find %g %% at 95 %% of the points%s%s%s.\n",
                 VERDICT_REPLICATES_MAX, 100 * effect, kinds > 1 ? " (" : "", kinds > 1 ? of_kinds.data : "",
                 kinds > 1 ? ")" : "");
    else if (all)
        text_add(&comparison->assumed, "%zu replicates would find %g %% at 95 %% of the points%s%s%s.\n", all,
                 100 * effect, kinds > 1 ? " (" : "", kinds > 1 ? of_kinds.data : "", kinds > 1 ? ")" : "");
    text_free(&of_kinds);
}

void comparison_assume(struct comparison *comparison, bool one_product)
{
    tell_replicates(comparison);
    assume_differences(comparison);
    if (comparison->predicted_a)
        assume_prediction(comparison, "A");
    if (comparison->predicted_b)
        assume_prediction(comparison, "B");
    struct knowledge a = knowledge_of(comparison, false), b = knowledge_of(comparison, true);
    if (a.unlabelled == b.unlabelled && a.within == b.within && a.borrowed + b.borrowed == 0) {
        assume_of(comparison, comparison->by ? "This file" : "Both files", "", a, one_product);
    } else {
        const char *names[] = {comparison->by ? "The baseline" : "A", comparison->by ? "The others" : "B"};
        assume_of(comparison, names[0], names[1], a, one_product);
        assume_of(comparison, names[1], names[0], b, one_product);
    }
    text_add(&comparison->assumed, one_product
                                       ? "One device product: equal variances are assumed.\n"
                                       : "Different device products: equal variances are not assumed.\n");
    if (comparison->by)
        text_add(&comparison->assumed, "Both sides are treated as independent. If the same processes "
                                       "measured both, intervals are wider than necessary.\n");
    if (!comparison->shares)
        text_add(&comparison->assumed, "No shares of roofs: release 0.1 divided by the copy peak, later "
                                       "releases divide by the point's roof.\n");
}
