/* only.h - `only:` of a job file and --only: conditions on axes and on the kernel (core/condition.h) that select points. */
#pragma once

#include "plan/job.h"
#include "plan/reading.h"

/* Read `only: 'stride<=8'`, or a list of conditions, into job->only. The sweeps of the job must be read already. An axis
 * that no swept kernel has, and a value that none of them supports, are errors. */
int only_read(struct reading *reading, const struct yaml_node *node, struct job *job);
void only_free(struct job *job);

/* Whether a point of that sweep is selected. If its kernel lacks the axis, only != holds, as for rows of a file. */
bool only_wants(const struct job *job, int sweep, const struct point *point);
