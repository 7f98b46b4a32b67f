/* relative.h - axis values of a job file that depend on the device: `sm: all`, `size: l2*4`, `stages: fit`. They are replaced in the text of
 * the job before it is read, so that a results file has the numbers that were measured. docs/job-file.md has the grammar. */
#pragma once

#include <stddef.h>

#include "family/family.h"
#include "plan/yaml.h"

/* Stages of `fit`: as many of so many bytes as a block's shared memory holds, a slice of tiles of 128 and 256 rows and 128 bytes. */
enum { RELATIVE_STAGE_BYTES = 48 << 10, RELATIVE_STAGES_MAX = 4 };

/* The device of jobs that are read from now on. What it does not know is as on an H100 SXM, and so is everything before the first call. */
void relative_set_device(const struct target *target);

/* Whether a value, or a part of it, is such a word, on a numeric axis. */
bool relative_has_word(const struct yaml_node *node);

bool relative_is_numeric(const char *axis); /* of any kernel */

/* Whether a job has such values: only then the device matters. */
bool relative_is_used(const struct yaml_node *root);

/* The text with numbers in their places: all else stays as it is, lines too. In a list [a, b], one that another item has already is left
 * out. The caller frees it; NULL: there are none. */
char *relative_resolve(const struct yaml_node *root, const char *text, size_t size);
