/* columns.h - from counter columns to the CUPTI metrics of a chip, and from their values to the columns. */
#pragma once

#include "core/result.h"
#include "protocol/config.h"
#include "worker/cuda/counters/cupti.h"

#define COLUMNS_METRICS_MAX (2 * RESULT_COUNTERS_MAX) /* a column is a metric, or a quotient of two */

struct columns {
    struct {
        int value, per; /* index of the metric and of its divisor; -1: none */
        double factor;
    } column[RESULT_COUNTERS_MAX];
    int count;
    const char *metric[COLUMNS_METRICS_MAX]; /* distinct CUPTI names, of static storage or in `config` */
    int metrics;
};

/* For the counters of `config`, which must outlive the plan. Columns that the chip lacks are named in `note`. */
void columns_plan(struct columns *columns, const struct config *config, struct cupti_chip *chip, char *note,
                  size_t size);

/* Compute the columns from the values of the metrics, in the order of columns->metric. Columns that are not planned do not change;
 * values that are not finite become NaN. */
void columns_fill(const struct columns *columns, const double *raw, double *values);
