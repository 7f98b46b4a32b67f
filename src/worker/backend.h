/* backend.h - the small interface between the worker process and what it measures on.
 *
 * worker/program/main.c speaks the wire protocol; worker/stages.c takes each point through its stages, which are the
 * same everywhere, and calls one of these for what differs: compiling, running, timing, counting. A back end
 * may exit the process on failures it cannot name a point for: it is isolated, and the runner records the
 * point and starts another.
 *
 * To add a back end: a folder beside host/ and fake/ that defines `backend_NAME`, and a line in protocol/traits.h. */
#ifndef WORKER_BACKEND_H
#define WORKER_BACKEND_H

#include "core/device.h"
#include "family/occupancy.h"
#include "protocol/config.h"
#include "protocol/traits.h"
#include "worker/trial.h"

/* Point `index` of a request compiled; or it did not, and `log` is what the compiler said. NULL: it did. */
typedef void (*compiled_report)(void *context, uint32_t index, const char *log);

struct backend {
    const char *name; /* "cuda", "host", "fake": what --backend takes and /devices shows */
    struct traits traits;

    /* Take the device: `local_rank` picks among those visible. -1 with the reason when there is none. Cheap:
     * nothing is measured. */
    int (*open)(int local_rank, struct device *device, struct error *error);

    /* How to measure from now on. */
    void (*configure)(const struct config *config);

    /* Optional: measure the device's peaks, or a part of them, into `device`. A back end that owns no device may measure all
     * whatever it is asked for. */
    void (*characterise)(enum peaks_part part, struct device *device);

    /* Optional: compile `count` points' kernels into the cache, on config.threads processors; `compiled` is called for
     * each of them when it is done, in any order. */
    void (*compile)(const struct point *points, uint32_t count, compiled_report compiled, void *context);

    /* The stages of one point, in this order. Each may end the point through trial_fail or trial_refuse; of
     * the rest then only `end` is called. Optional but for `take`. */
    void (*load)(struct trial *trial);    /* its code and its arrays, filled */
    void (*verify)(struct trial *trial);  /* run once and compare with the reference */
    void (*warm_up)(struct trial *trial); /* until the clock has risen; fills trial->launch_seconds */
    void (*arrange)(struct trial *trial); /* decide what a sample is: trial->launches, sets, group_max */
    void (*take)(struct trial *trial, uint32_t count, struct sample *samples); /* count <= group_max */
    void (*observe)(struct trial *trial);                                      /* after the last sample */
    void (*end)(struct trial *trial); /* release what the point took */

    /* Count config.counter_count counters of points that were timed, in the state of L2 that they were timed
     * in; values[i] has so many numbers, NaN where there is none. Returns why some are missing, in one line,
     * or "". `report` is called now and then, as a sign of life. What cannot be counted because of one of the
     * points ends the process: others are then counted without it. NULL for a back end that has no counters. */
    const char *(*count)(const struct countable *points, uint32_t count,
                         double (*values)[RESULT_COUNTERS_MAX], stage_report report, void *context);

    /* Optional: which counter columns the chip of that name offers, and how many passes those need together.
     * Asks CUPTI alone: no device has to be there. */
    int (*ask_chip)(const char *chip, const char *const *columns, uint32_t count, bool *has, uint32_t *passes,
                    struct error *error);

    /* Optional: compile a point's kernel, and give its machine code and the resources it needs. */
    int (*disassemble)(const struct point *point, struct text *listing, struct code_needs *needs,
                       struct error *error);

    void (*close)(void);
};

/* NULL when this build has no such back end. */
const struct backend *backend_find(const char *name);

#endif
