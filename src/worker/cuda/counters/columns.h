/* columns.h - which of CUPTI's metrics a run's counter columns are made of on a chip, and the columns from their values. */
#ifndef WORKER_CUDA_COUNTERS_COLUMNS_H
#define WORKER_CUDA_COUNTERS_COLUMNS_H

#include "core/result.h"
#include "protocol/config.h"
#include "worker/cuda/counters/cupti.h"

#define COLUMNS_METRICS_MAX (2 * RESULT_COUNTERS_MAX) /* each column is a metric, or one over another */

struct columns {
    struct {
        int value, per; /* index of the metric and of its divisor; -1: none */
        double factor;
    } column[RESULT_COUNTERS_MAX];
    int count;
    const char *metric[COLUMNS_METRICS_MAX]; /* distinct CUPTI names, of static storage or in `config` */
    int metrics;
};

/* For the counters of `config`, which must outlive it. Those that the chip lacks are named in `note`, else left alone. */
void columns_plan(struct columns *columns, const struct config *config, struct cupti_chip *chip, char *note,
                  size_t size);

/* The columns from the metrics' values, in the order of columns->metric; those without a value are left as they are, what is
 * not finite is NaN. */
void columns_fill(const struct columns *columns, const double *raw, double *values);

#endif
