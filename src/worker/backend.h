/* backend.h - the small interface between the worker process and what it measures on.
 *
 * worker/main.c speaks the wire protocol and calls one of these. A back end may exit the process on failures
 * it cannot name a point for: it is isolated, and the runner records the point and starts another. */
#ifndef WORKER_BACKEND_H
#define WORKER_BACKEND_H

#include "core/config.h"
#include "core/device.h"
#include "core/point.h"
#include "core/result.h"
#include "core/traits.h"
#include "family/family.h"

/* Tells the runner which stage the current point is in, so that a crash can be placed. */
typedef void (*stage_report)(void *context, const char *stage);

struct backend {
    const char *name; /* "cuda", "host", "fake" */
    struct traits traits;

    /* Take the device: `local_rank` picks among those visible (worker/device.h says how). -1 with the reason
     * when there is none. Cheap: nothing is measured. */
    int (*open)(int local_rank, struct device *device, struct error *error);

    /* How to measure from now on. */
    void (*configure)(const struct config *config);

    /* Measure the device's peaks into `device`. */
    void (*characterise)(struct device *device);

    /* Compile `count` points' kernels into the cache on config.threads threads; log[i] is NULL or an owned
     * text of what the compiler said when it failed, seconds[i] its time. */
    void (*compile)(const struct point *points, uint32_t count, char **log, double *seconds);

    /* Measure one point: every stage; `result` comes in from result_new() with id and repeat set. */
    void (*measure)(const struct point *point, struct result *result, stage_report report, void *context);

    /* Count config.counter_count counters of points that were timed; values[i] has so many numbers, NaN where
     * there is none. Returns why some are missing, in one line, or "". NULL for a back end that has no
     * counters. */
    const char *(*count)(const struct point *points, uint32_t count, double (*values)[RESULT_COUNTERS_MAX],
                         stage_report report, void *context);

    /* Optional: which counter columns the chip of that name offers, and how many passes those need together.
     * Asks CUPTI alone: no device has to be there. */
    int (*ask_chip)(const char *chip, const char *const *columns, uint32_t count, bool *has, uint32_t *passes,
                    struct error *error);

    void (*close)(void);
};

/* NULL when this build has no such back end. */
const struct backend *backend_find(const char *name);

/* The target (src/family/family.h) of a device. */
struct target backend_target(const struct device *device);

#endif
