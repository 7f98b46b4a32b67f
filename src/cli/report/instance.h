/* instance.h - one table of a pair: its cases' rows, and the numbers that it prints of them. */
#ifndef CLI_REPORT_INSTANCE_H
#define CLI_REPORT_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/data/merge.h"
#include "cli/report/pairs.h"

struct instance {
    const struct merged *merged;
    const struct pair *pair;
    size_t row[PAIR_CASES_MAX]; /* of results; SIZE_MAX: there is none */
    int cases;
    bool source_counts; /* the source has figures for this combination */
};

/* A quantity of a case in its unit; NaN when it was not measured. */
double instance_value(const struct instance *instance, const struct pair_quantity *quantity, int which);
bool instance_is_time(const struct pair_quantity *quantity);

/* What the source says, and what was measured, times with their intervals; "-" where there is nothing. */
void instance_format_source(const struct instance *instance, const struct pair_quantity *quantity, int which,
                            char *out, size_t size);
void instance_format_value(const struct instance *instance, const struct pair_quantity *quantity, int which,
                           char *out, size_t size);

/* How a quantity changes from the first case to the second, and whether the source says so too. */
void instance_change(const struct instance *instance, const struct pair_quantity *quantity, char *out,
                     size_t size);

/* The cases in ascending order of the first quantity, as measured or by the source. False when a figure is
 * missing. */
bool instance_order(const struct instance *instance, bool measured, int order[PAIR_CASES_MAX]);

#endif
