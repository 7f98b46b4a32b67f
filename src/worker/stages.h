/* stages.h - the stages of measuring a point, the same for all back ends: check support, load, verify, warm up, sample,
 * summarise, and predict time and counters. */
#pragma once

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

/* Measure a pair, in the order of turns.h. If one point fails, or if their buffers differ, the other, or each, is measured by
 * itself; else `paired_with` of both results is set. */
void stages_measure_pair(const struct stages *stages, uint32_t turn, const struct point *const point[2],
                         struct result *const result[2]);
