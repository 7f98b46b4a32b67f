/* values.h - the values of an axis as a job file writes them: one, a list, or a range. */
#ifndef PLAN_VALUES_H
#define PLAN_VALUES_H

#include "core/axis.h"
#include "plan/job.h"
#include "plan/reading.h"

/* Read `4`, `[1, 2, 4]`, `{from: 1MiB, to: 4GiB, factor: 4}`, `{from: 0, to: 32, step: 4}`, or a list of
 * those into `out->values` (owned) and `out->count`. Every value is one that the axis takes, and none comes
 * twice. -1 with the error, and nothing to free, otherwise. */
int values_read(struct reading *reading, const struct axis *axis, const struct yaml_node *node,
                struct job_axis *out);

#endif
