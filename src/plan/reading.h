/* reading.h - what the readers of a job file share: errors at a node, known keys, scalars that are there. */
#ifndef PLAN_READING_H
#define PLAN_READING_H

#include <stddef.h>

#include "base/error.h"
#include "plan/yaml.h"

#define READING_SCALAR_MAX 95 /* bytes of a value; the longest CUPTI metric names have some 90 */

struct reading {
    const char *path;
    struct error *error;
    size_t values_left; /* axis values that the job may still hold (JOB_VALUES_MAX) */
};

/* "path:line:column: message", and -1. */
int reading_fail(const struct reading *reading, const struct yaml_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "unknown WHAT 'text'; did you mean 'nearest'? Expected one of ...", and -1. `known` ends with NULL. */
int reading_unknown(const struct reading *reading, const struct yaml_node *at, const char *what,
                    const char *const *known);

/* 0 when `node` is a mapping with at least one key, else -1 with the error. `what` names it in the message.
 */
int reading_map(const struct reading *reading, const struct yaml_node *node, const char *what);

/* The same for a list with at least one item. */
int reading_list(const struct reading *reading, const struct yaml_node *node, const char *what);

/* 0 when every key of `map` is among `known` (NULL-terminated), else -1 with the error at the first that is
 * not. */
int reading_keys(const struct reading *reading, const struct yaml_node *map, const char *what,
                 const char *const *known);

/* The text of a scalar that is there and not absurdly long; NULL with the error otherwise. */
const char *reading_scalar(const struct reading *reading, const struct yaml_node *node, const char *what);

#endif
