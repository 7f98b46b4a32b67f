/* cuda_counters.h - counts hardware counters: after the points of a batch are timed, each is launched again
 * for every pass that its counters need. Several points share one start and stop of the profiler. */
#pragma once

#include "core/activity.h"
#include "worker/backend.h"
#include "worker/cuda/counters/cupti.h"
#include "worker/cuda/device/cuda_device.h"

/* Count the counters of `session->config` for `count` points: counted[i] gets config.counter_count counters,
 * which are left alone if missing, and the activity of a call. The profiler is opened when there is something
 * to count, and closed after an error of CUPTI, so that the next call begins anew. CUDA errors go to the
 * current guard. Each pass reports the stage `count`, as a heartbeat. Returns why columns are missing, in one
 * line; "" if none are. */
const char *cuda_counters_take(struct cuda_session *session, const struct countable *points, uint32_t count,
                               struct counted *counted, stage_report report, void *context);

/* Also if nothing is open. */
void cuda_counters_close(void);

/* ---- From counter columns to the CUPTI metrics of a chip, and from their values to the columns ---- */

#define COLUMNS_METRICS_MAX (2 * RESULT_COUNTERS_MAX) /* a column is a metric, or a quotient of two */

struct metric_pair {
    int value, per; /* index of the metric and of its divisor; -1: none */
    double factor;
};

struct columns {
    struct metric_pair column[RESULT_COUNTERS_MAX];
    int count;
    const char *metric[COLUMNS_METRICS_MAX]; /* distinct CUPTI names, of static storage or in `config` */
    int metrics;
};

/* For the counters of `config`, which must outlive the plan. Columns that the chip lacks are named in
 * `note`. */
void columns_plan(struct columns *columns, const struct config *config, struct cupti_chip *chip, char *note,
                  size_t size);

/* Compute the columns from the values of the metrics, in the order of columns->metric. Columns that are not
 * planned do not change; values that are not finite become NaN. */
void columns_fill(const struct columns *columns, const double *raw, double *values);

/* Call `prepare`, then record by CUPTI's activity API what runs on the device during `launch`; both wait for
 * the device. The recording ends with the call. It must not overlap with counting (cupti.h). The result is
 * valid until the next call; NULL with an ERROR_ENVIRONMENT. */
struct activity *trace_launch(void (*prepare)(void *), void (*launch)(void *), void *context,
                              struct error *error);

/* What a chip offers, without a GPU. `chip` is CUPTI's name for it: GH100, GB100, GB202. A column is one of
 * core/metric.h, or else a CUPTI metric. Tells for each whether the chip has it, and how many passes those
 * that it has need together. ERROR_ENVIRONMENT when there is no CUPTI, or one that does not know the chip. */
int cuda_chip_ask(const char *chip, const char *const *columns, uint32_t count, bool *has, uint32_t *passes,
                  struct error *error);
