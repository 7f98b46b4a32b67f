/* values.h - read the values of an axis in a job file: one value, a list, or a range. */
#pragma once

#include "core/axis.h"
#include "plan/job.h"
#include "plan/reading.h"

/* Read `4`, `[1, 2, 4]`, `{from: 1MiB, to: 4GiB, factor: 4}`, `{from: 0, to: 32, step: 4}`, or a list of those into
 * `out->values` (owned) and `out->count`. Values are distinct and valid for the axis. On failure -1 with the error, and
 * nothing to free. */
int values_read(struct reading *reading, const struct axis *axis, const struct yaml_node *node,
                struct job_axis *out);
