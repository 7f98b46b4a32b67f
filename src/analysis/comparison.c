#include "analysis/comparison.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pairing.h"
#include "base/memory.h"
#include "output/print.h"
#include "prediction/profile_file.h"
#include "statistics/between.h"
#include "store/dataset/summary.h"

size_t comparison_section(struct comparison *comparison, const char *a, const char *b)
{
    for (size_t i = 0; i < comparison->sections; i++)
        if (!strcmp(comparison->section[i].a, a) && !strcmp(comparison->section[i].b, b))
            return i;
    comparison->section =
        memory_resize(comparison->section, comparison->sections + 1, sizeof *comparison->section);
    comparison->section[comparison->sections] = (struct comparison_section){memory_text(a), memory_text(b)};
    return comparison->sections++;
}

void comparison_add(struct comparison *comparison, size_t section, struct entry a, struct entry b)
{
    assert(section < comparison->sections && (a.dataset || b.dataset));
    comparison->pair =
        memory_grow(comparison->pair, comparison->pairs, &comparison->capacity, sizeof *comparison->pair);
    comparison->pair[comparison->pairs++] = (struct comparison_pair){section, a, b};
    comparison->predicted_a |= a.predicted;
    comparison->predicted_b |= b.predicted;
}

void comparison_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->sections; i++) {
        free(comparison->section[i].a);
        free(comparison->section[i].b);
    }
    for (size_t i = 0; i < comparison->pairs; i++) {
        entry_free(&comparison->pair[i].a);
        entry_free(&comparison->pair[i].b);
    }
    free(comparison->section);
    free(comparison->pair);
    free(comparison->a);
    free(comparison->b);
    free(comparison->ratio);
    text_free(&comparison->assumed);
    *comparison = (struct comparison){0};
}

/* ---- Two files ---- */

/* What a file tells about deviations: between its processes and, for a comparison with a prediction, of the time model
 * on its points. */
struct side {
    const struct view *view;
    struct pooling pooling;
    struct prediction_errors *errors; /* NULL: nobody asks */
};

static bool has_prediction(const struct view *view)
{
    for (size_t i = 0; i < view->rows; i++)
        if (prediction_is(view->dataset, view->row[i]))
            return true;
    return false;
}

static struct side side_of(const struct view *view, const struct view *other)
{
    return (struct side){view, summary_pooling(view->dataset),
                         has_prediction(other) ? prediction_errors_of(view->dataset) : NULL};
}

static struct entry estimated(const struct side *side, size_t i, const struct side *other)
{
    struct entry entry = entry_of(side->view->dataset, side->view->row[i]);
    if (prediction_is(entry.dataset, entry.row))
        entry_predict(&entry, other->errors);
    else
        entry_estimate(&entry, &side->pooling, &other->pooling);
    return entry;
}

void comparison_of_files(const struct view *a, const struct view *b, char *const names[2],
                         struct comparison *comparison)
{
    *comparison = (struct comparison){.pairs = 0};
    const struct entry none = {0};
    size_t *partner = pairing_of(a, b), section = comparison_section(comparison, names[0], names[1]);
    bool *taken = memory_new(b->rows + 1, sizeof *taken);
    struct side side_a = side_of(a, b), side_b = side_of(b, a);
    for (size_t i = 0; i < a->rows; i++) {
        bool both = partner[i] != PAIRING_NONE;
        if (both)
            taken[partner[i]] = true;
        comparison_add(comparison, section, estimated(&side_a, i, &side_b),
                       both ? estimated(&side_b, partner[i], &side_a) : none);
    }
    for (size_t k = 0; k < b->rows; k++)
        if (!taken[k])
            comparison_add(comparison, section, none, estimated(&side_b, k, &side_a));
    prediction_errors_free(side_a.errors);
    prediction_errors_free(side_b.errors);
    free(taken);
    free(partner);
}

/* ---- Verdicts ---- */

/* The product that measured both sides; NULL: several, or a prediction. */
static const char *product_of(const struct comparison *comparison)
{
    const char *name = NULL, *backend = NULL;
    if (comparison->predicted_a || comparison->predicted_b)
        return NULL;
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct entry *sides[] = {&comparison->pair[i].a, &comparison->pair[i].b};
        for (int s = 0; s < 2; s++)
            for (size_t c = 0; c < sides[s]->cells; c++) {
                const struct frame *devices = &sides[s]->dataset->devices;
                size_t device = sides[s]->cell[c].device;
                if (device >= devices->rows)
                    return NULL;
                const char *its_name = frame_find_text(devices, device, DEVICE_COLUMN(name)),
                           *its_backend = frame_find_text(devices, device, DEVICE_COLUMN(backend));
                if (name && (strcmp(name, its_name) != 0 || strcmp(backend, its_backend) != 0))
                    return NULL;
                name = its_name;
                backend = its_backend;
            }
    }
    return name;
}

/* The unit that measured all samples of a side, by UUID; NULL: several, or none. */
static const char *unit_of(const struct comparison *comparison, bool second)
{
    const char *unit = NULL;
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct entry *entry = second ? &comparison->pair[i].b : &comparison->pair[i].a;
        for (size_t c = 0; c < entry->cells; c++) {
            const char *its =
                frame_find_text(&entry->dataset->devices, entry->cell[c].device, DEVICE_COLUMN(uuid));
            if (unit && strcmp(unit, its) != 0)
                return NULL;
            unit = its;
        }
    }
    return unit;
}

/* Release 0.1 divided every rate by the copy peak, later ones divide by the point's roof. */
static bool have_one_kind_of_share(const struct comparison *comparison)
{
    bool with = false, without = false;
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct comparison_pair *pair = &comparison->pair[i];
        if (!pair->a.dataset || !pair->b.dataset)
            continue;
        bool a = frame_find(&pair->a.dataset->results, COLUMN(roof)) >= 0,
             b = frame_find(&pair->b.dataset->results, COLUMN(roof)) >= 0;
        with |= a || b;
        without |= !a || !b;
    }
    return !with || !without;
}

/* Where the points of one side get their deviation between processes from. */
struct knowledge {
    size_t within, borrowed, measured;
    bool unlabelled; /* written by a release that did not say which process took a sample */
};

static struct knowledge knowledge_of(const struct comparison *comparison, bool second)
{
    struct knowledge k = {0};
    for (size_t i = 0; i < comparison->pairs; i++) {
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
                 "%s: release 0.1 did not record processes; all samples of a point count as those of "
                 "one process.\n",
                 whose);
    if (k.borrowed)
        text_add(assumed,
                 "%s: one process measured %zu of %zu points. Its processes are assumed to differ as "
                 "much as those of %s%s.\n",
                 whose, k.borrowed, k.measured, others,
                 one_product ? "" : ", though the device is of another product");
    if (k.within)
        text_add(assumed,
                 "%s: one process measured %zu of %zu points, so the difference between processes is "
                 "unknown and assumed to be zero. A difference may be gone in the next run. `timing: "
                 "{replicates: 3}` measures it.\n",
                 whose, k.within, k.measured);
}

static void assume_prediction(struct comparison *comparison, const char *side)
{
    text_add(&comparison->assumed,
             "%s was predicted, not measured. Its error is assumed to be the time model's root mean "
             "square error on the other side's measured points of the family. Points without known "
             "addresses are not compared.\n",
             side);
}

/* How runs and units of a product scatter, by its shipped profile. */
static bool find_between(const char *product, struct between *of_short, struct between *of_long)
{
    struct profile profile;
    if (!profile_find(product, &profile) || isnan(profile.value[PROFILE_spread_units].value))
        return false;
    const struct profile_value *value = profile.value;
    *of_short = (struct between){.run = pow(value[PROFILE_spread_run_short].value, 2),
                                 .unit = pow(value[PROFILE_spread_unit_short].value, 2),
                                 .runs = (size_t)value[PROFILE_spread_runs].value,
                                 .units = (size_t)value[PROFILE_spread_units].value};
    of_short->run_dof = fmax(1, (double)of_short->runs - (double)of_short->units);
    of_short->unit_dof = fmax(1, (double)of_short->units - 1);
    *of_long = *of_short;
    of_long->run = pow(value[PROFILE_spread_run_long].value, 2);
    of_long->unit = pow(value[PROFILE_spread_unit_long].value, 2);
    return true;
}

/* What another run, and another unit, adds. Within a file, both sides are one run. */
static void widen(struct comparison *comparison, const struct between *of_short,
                  const struct between *of_long)
{
    const char *a = unit_of(comparison, false), *b = unit_of(comparison, true);
    bool other = !a || !b || strcmp(a, b) != 0;
    for (size_t i = 0; i < comparison->pairs; i++) {
        struct levels_estimate *side[] = {&comparison->a[i], &comparison->b[i]};
        for (int s = 0; s < 2; s++)
            between_add(side[s]->seconds < BETWEEN_LONG ? of_short : of_long, other, side[s]);
    }
    text_add(&comparison->assumed,
             "%s: intervals include what %s adds, by %zu runs on %zu units of this product (its profile; "
             "report --runs).\n",
             other ? "Two units of one product" : "Two runs of one unit",
             other ? "another unit" : "another run", of_long->runs, of_long->units);
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
    enum { PERCENT_MIN = 1 };
    for (size_t i = 0; i < sizeof roofs / sizeof *roofs; i++) {
        double a = frame_find_real(&side[0]->devices, 0, roofs[i]),
               b = frame_find_real(&side[1]->devices, 0, roofs[i]);
        if (fabs(log(b / a)) > PERCENT_MIN / 100.0)
            text_add(out, "%s%s (measured: %.4g, %.4g GB/s)", out->length ? ", " : "", roofs[i], a / 1e9,
                     b / 1e9);
    }
}

/* Of two files, by the first device of each and the latest run. */
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
        char text[2][64];
        if (a < 0 || b < 0 || device_is_measured(name) || !strcmp(name, DEVICE_COLUMN(ordinal)) ||
            !strcmp(name, DEVICE_COLUMN(pci)))
            continue;
        print_human(&side[0]->devices.column[a], frame_row(&side[0]->devices, 0)[a], text[0], sizeof text[0]);
        print_human(&side[1]->devices.column[b], frame_row(&side[1]->devices, 0)[b], text[1], sizeof text[1]);
        add_difference(&found, name, text[0], text[1]);
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
                          : "The sides do not differ in device, "
                            "driver, commit or job.%s\n",
             found.length ? found.data : "");
    text_free(&found);
}

static void assume(struct comparison *comparison, bool one_product)
{
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
        text_add(&comparison->assumed,
                 "Both sides are treated as independent. If the same processes measured both, intervals "
                 "are wider than necessary.\n");
    if (!comparison->shares)
        text_add(&comparison->assumed,
                 "No shares of roofs: release 0.1 divided by the copy peak, later releases divide by "
                 "the point's roof.\n");
}

/* If one side borrows the other's deviations, the pooled variances of both sides are one estimate and its degrees of
 * freedom must not count twice. So the lender takes over the borrower's part. */
static struct verdict_ratio ratio_of_borrower(struct verdict_rule rule, struct levels_estimate *lender,
                                              struct levels_estimate *borrower,
                                              const struct levels_estimate *a,
                                              const struct levels_estimate *b)
{
    rule.spread = VERDICT_EACH;
    lender->common += borrower->common;
    borrower->common = 0;
    levels_estimate_finish(lender);
    levels_estimate_finish(borrower);
    return verdict_ratio_of(&rule, a, b);
}

static struct verdict_ratio ratio_of_pair(const struct comparison *comparison, size_t i)
{
    const struct comparison_pair *pair = &comparison->pair[i];
    struct levels_estimate *a = &comparison->a[i], *b = &comparison->b[i];
    bool pooled = a->basis == LEVELS_POOLED && b->basis == LEVELS_POOLED;
    if (pooled && pair->a.borrowed != pair->b.borrowed)
        return pair->a.borrowed ? ratio_of_borrower(comparison->rule, b, a, a, b)
                                : ratio_of_borrower(comparison->rule, a, b, a, b);
    return verdict_ratio_of(&comparison->rule, a, b);
}

void comparison_judge(struct comparison *comparison, double threshold)
{
    size_t pairs = comparison->pairs;
    const char *product = product_of(comparison);
    bool one_product = product != NULL;
    struct between of_short, of_long;
    comparison->rule = verdict_rule_of(threshold);
    comparison->rule.spread = one_product && !comparison->paired ? VERDICT_ALIKE : VERDICT_EACH;
    comparison->shares = have_one_kind_of_share(comparison);
    comparison->a = memory_new(pairs + 1, sizeof *comparison->a);
    comparison->b = memory_new(pairs + 1, sizeof *comparison->b);
    comparison->ratio = memory_new(pairs + 1, sizeof *comparison->ratio);
    for (size_t i = 0; i < pairs; i++) {
        comparison->a[i] = comparison->pair[i].a.estimate;
        comparison->b[i] = comparison->pair[i].b.estimate;
    }
    if (product && !comparison->by && find_between(product, &of_short, &of_long))
        widen(comparison, &of_short, &of_long);
    for (size_t i = 0; i < pairs; i++)
        comparison->ratio[i] = ratio_of_pair(comparison, i);
    verdict_decide(&comparison->rule, comparison->ratio, pairs);
    for (size_t i = 0; i < pairs; i++) /* measured, but by one sample alone */
        if (comparison->ratio[i].verdict == VERDICT_UNKNOWN && !isnan(comparison->ratio[i].ratio))
            comparison->ratio[i].verdict = VERDICT_UNCERTAIN;
    if (comparison->paired)
        return;
    assume_differences(comparison);
    assume(comparison, one_product);
}
