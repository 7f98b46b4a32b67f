/* relative.h - axis values of a job file that depend on the device: `sm: all`, `size: l2*4`, `stages: fit`. They are replaced when
 * the values are read, and the job is written anew, so that a results file has the numbers that were measured. docs/job-file.md
 * has the grammar. */
#pragma once

#include <stddef.h>

#include "family/family.h"
#include "plan/yaml.h"

/* Stages of `fit`: as many of so many bytes as a block's shared memory holds, a slice of tiles of 128 and 256 rows and 128 bytes. */
enum { RELATIVE_STAGE_BYTES = 48 << 10, RELATIVE_STAGES_MAX = 4 };

/* The device of jobs that are read from now on. What it does not know is as on an H100 SXM, and so is everything before the first call. */
void relative_set_device(const struct target *target);

/* Whether a job that was read since that call, or one that was refused, had such a value: only then the device matters. */
bool relative_is_used(void);

/* Put numbers in place of such words among the values of an axis. In a list [a, b], one that another item has already is left out.
 * False: there are none. */
bool relative_resolve(struct yaml_tree *tree, struct yaml_node *values, const struct axis *axis);
