/* only.h - which points of a job are wanted: conditions on axes and on the kernel (core/condition.h), as `only:` of a job
 * file and --only of a command have them. They choose; what an axis takes is for `axes:` to say. */
#ifndef PLAN_ONLY_H
#define PLAN_ONLY_H

#include "plan/job.h"
#include "plan/reading.h"

/* Read `only: 'stride<=8'` or a list of such into job->only (owned by the job), whose sweeps are read already. A
 * condition on an axis that no swept kernel has, and on a value that none of them takes, is an error. 0, or -1. */
int only_read(struct reading *reading, const struct yaml_node *node, struct job *job);
void only_free(struct job *job);

/* Is a point of that sweep wanted? As for rows of a file, a kernel that has not the axis fulfils != alone. */
bool only_wants(const struct job *job, int sweep, const struct point *point);

#endif
