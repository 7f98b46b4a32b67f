#include "analysis/comparison.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/spill.h"
#include "base/thread.h"
#include "prediction/profile_file.h"
#include "statistics/between.h"

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

/* ---- Large arrays ---- */

enum { MANY = 1 << 15, PORTION = 1 << 13 }; /* pairs: whose arrays are spilled, at a time */

/* `count` elements; where there are many, kept out of memory by *spill. */
static void *new_array(size_t count, size_t size, struct spill **spill)
{
    *spill = count > MANY ? spill_new() : NULL;
    if (!*spill)
        return memory_new(count + 1, size);
    spill_reserve(*spill, count * size);
    return spill_base(*spill);
}

static void free_array(void *array, struct spill *spill)
{
    if (spill)
        spill_free(spill);
    else
        free(array);
}

enum { SPILL_PAIR, SPILL_A, SPILL_B, SPILL_RATIO };

void comparison_expect(struct comparison *comparison, size_t pairs)
{
    comparison->pair = new_array(pairs, sizeof *comparison->pair, &comparison->spill[SPILL_PAIR]);
    comparison->capacity = pairs + 1;
}

static void evict(const struct comparison *comparison)
{
    for (int i = 0; i < COMPARISON_SPILLS; i++)
        if (comparison->spill[i])
            spill_evict(comparison->spill[i]);
    for (int i = 0; i < 2; i++)
        summary_cells_evict(&comparison->cells[i]);
    for (int i = 0; i < 2 && comparison->file[i]; i++)
        dataset_evict(comparison->file[i]);
}

void comparison_evict_at(const struct comparison *comparison, size_t pair)
{
    if (pair % PORTION == 0 && comparison->spill[SPILL_PAIR])
        evict(comparison);
}

void comparison_add(struct comparison *comparison, size_t section, struct entry a, struct entry b)
{
    assert(section < comparison->sections && (a.dataset || b.dataset));
    if (comparison->spill[SPILL_PAIR])
        spill_reserve(comparison->spill[SPILL_PAIR], (comparison->pairs + 1) * sizeof *comparison->pair);
    else
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
        comparison_evict_at(comparison, i);
        entry_free(&comparison->pair[i].a);
        entry_free(&comparison->pair[i].b);
    }
    free(comparison->section);
    free_array(comparison->pair, comparison->spill[SPILL_PAIR]);
    free_array(comparison->a, comparison->spill[SPILL_A]);
    free_array(comparison->b, comparison->spill[SPILL_B]);
    free_array(comparison->ratio, comparison->spill[SPILL_RATIO]);
    for (int i = 0; i < 2; i++)
        summary_cells_free(&comparison->cells[i]);
    text_free(&comparison->assumed);
    *comparison = (struct comparison){0};
}

/* ---- Verdicts ---- */

/* The product that measured both sides; NULL: several, or a prediction. */
static const char *product_of(const struct comparison *comparison)
{
    const char *name = NULL, *backend = NULL;
    const struct frame *last = NULL; /* most cells are of the same device */
    size_t last_device = 0;
    if (comparison->predicted_a || comparison->predicted_b)
        return NULL;
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct entry *sides[] = {&comparison->pair[i].a, &comparison->pair[i].b};
        comparison_evict_at(comparison, i);
        for (int s = 0; s < 2; s++)
            for (size_t c = 0; c < sides[s]->cells; c++) {
                const struct frame *devices = &sides[s]->dataset->devices;
                size_t device = sides[s]->cell[c].device;
                if (last == devices && last_device == device)
                    continue;
                last = devices;
                last_device = device;
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
    uint32_t last = 0; /* most cells are of the same device */
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct entry *entry = second ? &comparison->pair[i].b : &comparison->pair[i].a;
        comparison_evict_at(comparison, i);
        for (size_t c = 0; c < entry->cells; c++) {
            if (unit && entry->cell[c].device == last)
                continue;
            last = entry->cell[c].device;
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
        comparison_evict_at(comparison, i);
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

/* How runs and units of a product scatter, by its shipped profile. */
static bool find_between(const char *product, struct profile *profile, struct between *of_short,
                         struct between *of_long)
{
    if (!profile_find(product, profile) || isnan(profile->value[PROFILE_spread_units].value))
        return false;
    const struct profile_value *value = profile->value;
    *of_short = (struct between){.run = pow(value[PROFILE_spread_run_short].value, 2),
                                 .unit = pow(value[PROFILE_spread_unit_short].value, 2),
                                 .runs = (size_t)value[PROFILE_spread_runs].value,
                                 .units = (size_t)value[PROFILE_spread_units].value};
    of_short->run_dof = fmax(1, (double)of_short->runs - (double)of_short->units);
    double groups = value[PROFILE_spread_groups].value;
    of_short->unit_dof = fmax(1, (double)of_short->units - (isnan(groups) ? 1 : groups));
    *of_long = *of_short;
    of_long->run = pow(value[PROFILE_spread_run_long].value, 2);
    of_long->unit = pow(value[PROFILE_spread_unit_long].value, 2);
    return true;
}

/* What another run, and another unit, adds. Within a file, both sides are one run. */
struct widening {
    struct between of_short, of_long;
    bool other; /* unit */
};

static bool find_widening(struct comparison *comparison, const char *product, struct widening *widening)
{
    struct profile profile;
    if (!product || comparison->by ||
        !find_between(product, &profile, &widening->of_short, &widening->of_long))
        return false;
    const struct profile_value *units = &profile.value[PROFILE_spread_units];
    const char *a = unit_of(comparison, false), *b = unit_of(comparison, true);
    widening->other = !a || !b || strcmp(a, b) != 0;
    text_add(&comparison->assumed,
             "%s: intervals include what %s adds, by %zu runs on %zu units (the product's profile; %s).\n",
             widening->other ? "Two units of one product" : "Two runs of one unit",
             widening->other ? "another unit" : "another run", widening->of_long.runs,
             widening->of_long.units, units->source);
    return true;
}

static void widen(const struct widening *widening, struct levels_estimate *estimate)
{
    between_add(estimate->seconds < BETWEEN_LONG ? &widening->of_short : &widening->of_long, widening->other,
                estimate);
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
    if (verdict_needs_finished(&comparison->rule, a, b)) {
        levels_estimate_finish(a);
        levels_estimate_finish(b);
    }
    return verdict_ratio_of(&comparison->rule, a, b);
}

struct judging {
    struct comparison *comparison;
    const struct widening *widening; /* NULL: none */
    size_t from;                     /* where the portion starts */
};

static void judge_share(void *context, size_t first, size_t end)
{
    const struct judging *judging = context;
    struct comparison *comparison = judging->comparison;
    for (size_t i = judging->from + first; i < judging->from + end; i++) {
        comparison->a[i] = comparison->pair[i].a.estimate;
        comparison->b[i] = comparison->pair[i].b.estimate;
        if (judging->widening) {
            widen(judging->widening, &comparison->a[i]);
            widen(judging->widening, &comparison->b[i]);
        }
        comparison->ratio[i] = ratio_of_pair(comparison, i);
    }
}

void comparison_judge(struct comparison *comparison, double threshold)
{
    size_t pairs = comparison->pairs;
    const char *product = product_of(comparison);
    bool one_product = product != NULL;
    struct widening widening;
    comparison->rule = verdict_rule_of(threshold);
    comparison->rule.spread = one_product && !comparison->paired ? VERDICT_ALIKE : VERDICT_EACH;
    comparison->shares = have_one_kind_of_share(comparison);
    comparison->a = new_array(pairs, sizeof *comparison->a, &comparison->spill[SPILL_A]);
    comparison->b = new_array(pairs, sizeof *comparison->b, &comparison->spill[SPILL_B]);
    comparison->ratio = new_array(pairs, sizeof *comparison->ratio, &comparison->spill[SPILL_RATIO]);
    struct judging judging = {.comparison = comparison};
    judging.widening = find_widening(comparison, product, &widening) ? &widening : NULL;
    for (; judging.from < pairs; judging.from += PORTION) {
        thread_share(pairs - judging.from < PORTION ? pairs - judging.from : PORTION, judge_share, &judging);
        comparison_evict_at(comparison, 0);
    }
    verdict_decide(&comparison->rule, comparison->ratio, pairs);
    for (size_t i = 0; i < pairs; i++) /* measured, but by one sample alone */
        if (comparison->ratio[i].verdict == VERDICT_UNKNOWN && !isnan(comparison->ratio[i].ratio))
            comparison->ratio[i].verdict = VERDICT_UNCERTAIN;
    if (comparison->paired)
        return;
    comparison_assume(comparison, one_product);
}
