/* Verdicts of all pairs: which variances are assumed, and what other runs and units of the product add. */
#include <math.h>
#include <string.h>

#include "analysis/comparison.h"
#include "base/thread.h"
#include "plan/profile_file.h"

enum { PORTION = 1 << 13 }; /* pairs that are judged at a time, before memory is given back */

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

/* The unit that measured all samples of an entry, by UUID; NULL: several, none, or a file that does not say. */
static const char *unit_of(const struct entry *entry)
{
    const char *unit = NULL;
    for (size_t c = 0; c < entry->cells; c++) {
        if (c > 0 && entry->cell[c].device == entry->cell[c - 1].device) /* most are */
            continue;
        const char *its =
            frame_find_text(&entry->dataset->devices, entry->cell[c].device, DEVICE_COLUMN(uuid));
        if (unit && strcmp(unit, its) != 0)
            return NULL;
        unit = its;
    }
    return unit && *unit ? unit : NULL;
}

static bool has_other_unit(const struct comparison_pair *pair)
{
    const char *a = unit_of(&pair->a), *b = unit_of(&pair->b);
    return !a || !b || strcmp(a, b) != 0;
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

/* A variance by its standard deviation; profiles leave out those that are 0. */
static double variance_of(const struct profile_value *deviation)
{
    return isnan(deviation->value) ? 0 : deviation->value * deviation->value;
}

static bool find_between(const char *product, struct profile *profile, struct between *of_short,
                         struct between *of_long)
{
    if (!profile_find(product, profile) || isnan(profile->value[PROFILE_spread_units].value))
        return false;
    const struct profile_value *value = profile->value;
    *of_short = (struct between){.run = variance_of(&value[PROFILE_spread_run_short]),
                                 .unit = variance_of(&value[PROFILE_spread_unit_short]),
                                 .runs = (size_t)value[PROFILE_spread_runs].value,
                                 .units = (size_t)value[PROFILE_spread_units].value};
    of_short->run_dof = fmax(1, (double)of_short->runs - (double)of_short->units);
    double groups = value[PROFILE_spread_groups].value;
    of_short->unit_dof = fmax(1, (double)of_short->units - (isnan(groups) ? 1 : groups));
    *of_long = *of_short;
    of_long->run = variance_of(&value[PROFILE_spread_run_long]);
    of_long->unit = variance_of(&value[PROFILE_spread_unit_long]);
    return true;
}

void comparison_between(const char *product, struct between *of_short, struct between *of_long)
{
    struct profile profile;
    *of_short = *of_long = (struct between){0};
    find_between(product, &profile, of_short, of_long);
}

/* What another run, and another unit, adds. Within a file, both sides are one run. */
struct widening {
    struct between of_short, of_long;
};

static void say_widening(struct comparison *comparison, const struct widening *widening, const char *source)
{
    size_t others = 0;
    for (size_t i = 0; i < comparison->pairs; i++) {
        comparison_evict_at(comparison, i);
        others += has_other_unit(&comparison->pair[i]);
    }
    text_add(&comparison->assumed, "%s: intervals include what another %s adds",
             others == 0                   ? "Two runs of one unit at each point"
             : others == comparison->pairs ? "Two units of one product"
                                           : "Units of one product",
             others ? "unit" : "run");
    if (others && others < comparison->pairs)
        text_add(&comparison->assumed, " at %zu points, and another run at the others", others);
    text_add(&comparison->assumed, ", by %zu runs on %zu units (the product's profile; %s).\n",
             widening->of_long.runs, widening->of_long.units, source);
}

static bool find_widening(struct comparison *comparison, const char *product, struct widening *widening)
{
    struct profile profile;
    if (!product || comparison->by ||
        !find_between(product, &profile, &widening->of_short, &widening->of_long))
        return false;
    say_widening(comparison, widening, profile.value[PROFILE_spread_units].source);
    return true;
}

static void widen(const struct widening *widening, bool other_unit, struct levels_estimate *estimate)
{
    between_add(estimate->seconds < BETWEEN_LONG ? &widening->of_short : &widening->of_long, other_unit,
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
    struct comparison_pair *pair = &comparison->pair[i];
    struct levels_estimate *a = &pair->a.estimate, *b = &pair->b.estimate;
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
        if (judging->widening) {
            bool other_unit = has_other_unit(&comparison->pair[i]);
            widen(judging->widening, other_unit, &comparison->pair[i].a.estimate);
            widen(judging->widening, other_unit, &comparison->pair[i].b.estimate);
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
    comparison_make_room(comparison);
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
