/* pair.h - the tables of a textbook pair: the points of its cases, and the numbers that are printed of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analysis/pairs.h"
#include "base/text.h"
#include "results/merge.h"

struct instance {
    const struct merged *merged;
    const struct pair *pair;
    size_t row[PAIR_CASES_MAX]; /* of results; SIZE_MAX: there is none */
    int cases;
    bool source_counts; /* the source has figures for this combination */
    bool on_host;       /* measured on a CPU, which the source does not cover */
    bool in_l2;         /* the bytes that each case has to move fit in the device's L2 */
};

/* Add the values that its free axes have in a row of results: "size 64 MiB, dtype f32", with a comma before whatever
 * is not the first of the text. */
void instance_place(const struct instance *instance, size_t row, struct text *out);

/* A quantity of a case in its unit; NaN when it was not measured. */
double instance_value(const struct instance *instance, const struct pair_quantity *quantity, int which);
bool instance_is_time(const struct pair_quantity *quantity);

/* What the source says, and what was measured, times with their intervals; "-" where there is nothing. */
void instance_format_source(const struct instance *instance, const struct pair_quantity *quantity, int which,
                            char *out, size_t size);
void instance_format_value(const struct instance *instance, const struct pair_quantity *quantity, int which,
                           char *out, size_t size);

/* Whether a quantity changes between the first two cases in the other direction than the source says. */
bool instance_contradicts(const struct instance *instance, const struct pair_quantity *quantity);

/* Whether a working set that fits in L2 may explain that: times, rates and DRAM traffic. */
bool instance_excused_by_l2(const struct instance *instance, const struct pair_quantity *quantity);

/* How a quantity changes from the first case to the second, and whether the source agrees. */
void instance_change(const struct instance *instance, const struct pair_quantity *quantity, char *out,
                     size_t size);

/* The cases in ascending order of the first quantity, as measured or by the source. False when a figure is
 * missing. */
bool instance_order(const struct instance *instance, bool measured, int order[PAIR_CASES_MAX]);

/* Call `each` for every table of the pair: one per device and combination of free axes that the files have points of.
 * The instance is valid during the call. Returns the number of tables. */
int pair_each(const struct merged *merged, const struct pair *pair,
              void (*each)(const struct instance *, void *context), void *context);
