/* sweep.h - one entry of a job file's `sweeps`: a kernel, the values of its axes, `zip` and `exclude`. */
#ifndef PLAN_SWEEP_H
#define PLAN_SWEEP_H

#include "plan/job.h"
#include "plan/reading.h"

/* What a sweep takes over from the rest of the job. */
struct sweep_context {
    const struct yaml_node *defaults; /* the mapping, or NULL */
    bool cache_given;                 /* timing.cache is the value of a cache axis that nothing else names */
    enum cache_mode cache;
};

/* Read the kernel of a sweep, and check its keys: enough to know which axes the job has. 0, or -1 with the
 * error. */
int sweep_read_kernel(struct reading *reading, const struct yaml_node *node, struct job_sweep *sweep);

/* Read the rest. 0, or -1 with the error; sweep_free is the caller's then, too. */
int sweep_read(struct reading *reading, const struct yaml_node *node, const struct sweep_context *context,
               struct job_sweep *sweep);

void sweep_free(struct job_sweep *sweep);

/* Names of a kernel's axes, NULL-terminated, at most POINT_AXES_MAX. */
void sweep_axis_names(const struct family *family, const char *names[POINT_AXES_MAX + 1]);

#endif
