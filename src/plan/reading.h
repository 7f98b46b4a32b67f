/* reading.h - helpers of the readers of a job file: errors with a position, checks of keys, lists and scalars. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "core/axis.h"
#include "plan/yaml.h"

#define READING_SCALAR_MAX (AXIS_TEXT_SIZE - 1) /* bytes of a value */

struct reading {
    const char *path;
    struct error *error;
    size_t values_left; /* how many more axis values the job may have (JOB_VALUES_MAX) */
};

/* "path:line:column: message", and -1. */
int reading_fail(const struct reading *reading, const struct yaml_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The error of suggest_unknown at the node, and -1. `known` ends with NULL. */
int reading_unknown(const struct reading *reading, const struct yaml_node *at, const char *what,
                    const char *const *known);

/* 0 if `node` is a mapping with at least one key, else -1 with the error. `what` names it in the message. */
int reading_map(const struct reading *reading, const struct yaml_node *node, const char *what);

/* The same for a list with at least one item. */
int reading_list(const struct reading *reading, const struct yaml_node *node, const char *what);

/* 0 if every key of `map` is in `known` (NULL-terminated), else -1 with an error at the first one that is not. */
int reading_keys(const struct reading *reading, const struct yaml_node *map, const char *what,
                 const char *const *known);

/* The text of a scalar of 1 to READING_SCALAR_MAX bytes; else NULL with the error. */
const char *reading_scalar(const struct reading *reading, const struct yaml_node *node, const char *what);
