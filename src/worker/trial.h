/* trial.h - the measurement of one point: state shared by the stages and the back end. */
#pragma once

#include "core/result.h"
#include "family/family.h"
#include "protocol/config.h"

/* Tells the runner the current stage, so that a crash can be attributed. */
typedef void (*stage_report)(void *context, const char *stage);

struct trial {
    const struct config *config;
    const struct family *family;
    const struct point *point;
    struct target target;
    struct setup setup;
    enum cache_mode cache;
    uint64_t seed;                    /* of the inputs */
    const struct point *const *ahead; /* the next points that this process will verify, in order */
    uint32_t ahead_count;
    struct result *result;
    stage_report report;
    void *context; /* of `report` */

    double launch_seconds; /* estimated duration of a launch; set by warm_up */
    uint32_t launches;     /* per sample */
    uint32_t sets;         /* copies of the buffers that the launches alternate between */
    uint32_t walk;         /* times L2 that launches in the state rotate walk over */
    uint32_t group_max;    /* samples that can be taken together */
    bool threads_allowed;  /* other threads may compute while samples are taken; set by the back end */
    bool comes_second;     /* of a pair: the next sample follows one of the other version */
};

/* End the point as failed. Printf-like. */
#define trial_fail(trial, ...) result_fail((trial)->result, STATUS_FAILED, __VA_ARGS__)

/* End the point as unsupported on this device. Printf-like. */
#define trial_refuse(trial, ...) result_fail((trial)->result, STATUS_UNSUPPORTED, __VA_ARGS__)

/* End the point as one that this launch cannot measure, and another may. Printf-like. */
#define trial_lack(trial, ...) result_fail((trial)->result, STATUS_UNAVAILABLE, __VA_ARGS__)

/* A point to be counted. */
struct countable {
    struct point point;
    double
        l2_dirty; /* share of L2's lines that are dirty at the start: the column l2_dirty; NaN for a hot L2 */
};

/* The seed of a point's inputs: the same for all measurements of the point in a run. */
uint64_t trial_seed(const struct config *config, const struct point *point);
