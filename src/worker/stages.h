/* stages.h - the stages of measuring a point, the same for all back ends: check support, load, verify, warm up, sample,
 * summarise, and predict time and counters. */
#ifndef WORKER_STAGES_H
#define WORKER_STAGES_H

#include "core/device.h"
#include "worker/backend.h"

struct stages {
    const struct backend *backend;
    struct config config;
    struct target target;
    const struct device *device;      /* with its measured peaks */
    bool replicate;                   /* another process has verified the point: only time it */
    const struct point *const *ahead; /* as in struct trial */
    uint32_t ahead_count;
    stage_report report;
    void *context; /* of `report` */
};

/* Measure one point into `result`, from result_new with id and repeat set. The caller frees it. */
void stages_measure(const struct stages *stages, const struct point *point, struct result *result);

#endif
