/* trial.h - one point on its way through the stages of measuring: what the stages and the back end share. */
#ifndef WORKER_TRIAL_H
#define WORKER_TRIAL_H

#include "core/result.h"
#include "family/family.h"
#include "protocol/config.h"

/* Tells the runner which stage the current point is in, so that a crash can be placed. */
typedef void (*stage_report)(void *context, const char *stage);

struct trial {
    const struct config *config;
    const struct family *family;
    const struct point *point;
    struct target target;
    struct setup setup;
    enum cache_mode cache;
    uint64_t seed; /* of the inputs */
    const struct point *const
        *ahead; /* the process verifies these after this one, in this order, as far as it is known */
    uint32_t ahead_count;
    struct result *result;
    stage_report report;
    void *context; /* of `report` */

    double launch_seconds; /* of one launch, roughly: known when warm */
    uint32_t launches;     /* of a sample; 1 unless the back end arranges otherwise */
    uint32_t sets;         /* of buffers that the samples walk over */
    uint32_t group_max;   /* samples that can be taken at once */
    bool
        processors_beside; /* while samples are taken, other threads may work; false unless the back end says so */
};

/* The point ends here: its output is wrong, or something failed. Printf-like. */
#define trial_fail(trial, ...) result_fail((trial)->result, STATUS_FAILED, __VA_ARGS__)

/* The point ends here: it cannot be measured on this device, by design. */
#define trial_refuse(trial, ...) result_fail((trial)->result, STATUS_UNSUPPORTED, __VA_ARGS__)

/* A point to be counted. */
struct countable {
    struct point point;
    double l2_dirty; /* share of L2's lines that others left dirty: the column l2_dirty; NaN for a hot L2 */
};

/* The seed of a point's inputs: the same whenever and wherever it is measured in a run. */
uint64_t trial_seed(const struct config *config, const struct point *point);

#endif
