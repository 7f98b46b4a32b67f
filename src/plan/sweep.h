/* sweep.h - read one entry of `sweeps` in a job file: a kernel, the values of its axes, `zip` and `exclude`. */
#pragma once

#include "plan/job.h"
#include "plan/reading.h"

/* Settings of the job that apply to its sweeps. */
struct sweep_context {
    const struct yaml_node *defaults; /* the mapping, or NULL */
    bool cache_given;                 /* timing.cache is the default of the cache axis */
    enum cache_mode cache;
};

/* Read the kernel of a sweep and check its keys; then the axes of the job are known. 0, or -1 with the error. */
int sweep_read_kernel(struct reading *reading, const struct yaml_node *node, struct job_sweep *sweep);

/* Read the rest. 0, or -1 with the error; the caller calls sweep_free in both cases. */
int sweep_read(struct reading *reading, const struct yaml_node *node, const struct sweep_context *context,
               struct job_sweep *sweep);

void sweep_free(struct job_sweep *sweep);
