/* stages.h - a point's way through measuring, the same on every back end: is it possible, what does it have
 * to do, load, verify, warm up, sample, sum up, and what should the counters say. */
#ifndef WORKER_STAGES_H
#define WORKER_STAGES_H

#include "core/device.h"
#include "worker/backend.h"

struct stages {
    const struct backend *backend;
    struct config config;
    struct target target;
    const struct device *device;      /* with its peaks, where they are measured */
    bool replicate;                   /* another process has verified the point: its time alone is wanted */
    const struct point *const *ahead; /* as in struct trial */
    uint32_t ahead_count;
    stage_report report;
    void *context; /* of `report` */
};

/* Measure one point. `result` comes from result_new with id and repeat set; the caller frees it. */
void stages_measure(const struct stages *stages, const struct point *point, struct result *result);

#endif
