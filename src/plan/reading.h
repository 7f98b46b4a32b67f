/* reading.h - the readers of the parts of a job file, and what they share: errors with a position, checks of
 * keys, lists and scalars. All return 0, or -1 with the error. */
#pragma once

#include <stddef.h>

#include "plan/job.h"
#include "plan/yaml.h"

#define READING_SCALAR_MAX (AXIS_TEXT_SIZE - 1) /* bytes of a value */

struct reading {
    const char *path;
    struct error *error;
    struct yaml_tree *tree;          /* for values_read */
    const struct job_device *device; /* NULL: none is known */
    struct target target;            /* of it, once `asked` */
    bool asked;
    bool relative;      /* values depended on the device, and were replaced in the tree */
    size_t values_left; /* how many more axis values the job may have (JOB_VALUES_MAX) */
};

/* "path:line:column: message", and -1. */
#define reading_fail(reading, at, ...)                                                                       \
    error_at((reading)->path, (at)->line, (at)->column, (reading)->error, __VA_ARGS__)

/* The place of `word` in `known`, which ends with NULL; -1 with the error of suggest_unknown at the node. */
int reading_word(const struct reading *reading, const struct yaml_node *at, const char *what,
                 const char *word, const char *const *known);

/* 0 if `node` is a mapping with at least one key, else -1 with the error. `what` names it in the message. */
int reading_map(const struct reading *reading, const struct yaml_node *node, const char *what);

/* The same for a list with at least one item. */
int reading_list(const struct reading *reading, const struct yaml_node *node, const char *what);

/* 0 if every key of `map` is in `known` (NULL-terminated), else -1 with an error at the first one that is
 * not. */
int reading_keys(const struct reading *reading, const struct yaml_node *map, const char *what,
                 const char *const *known);

/* The text of a scalar of 1 to READING_SCALAR_MAX bytes; else NULL with the error. */
const char *reading_scalar(const struct reading *reading, const struct yaml_node *node, const char *what);

/* ---- Names ---- */

/* The distinct kernels of the job; `first`, if it is not NULL, and the distinct axes of all swept kernels.
 * The arrays are NULL-terminated, and the caller frees them. */
const char **job_kernel_names(const struct job *job);
const char **job_axis_names(const struct job *job, const char *first);

/* ---- values.c, sweep.c: `sweeps` ---- */

/* Read `4`, `[1, 2, 4]`, `{from: 1MiB, to: 4GiB, factor: 4}`, `{from: 0, to: 32, step: 4}`, or a list of
 * those into `out->values` (owned) and `out->count`. Values that depend on the device are replaced in the
 * node. Values are distinct and valid for the axis. On failure there is nothing to free. */
int values_read(struct reading *reading, const struct axis *axis, struct yaml_node *node,
                struct job_axis *out);

/* Put numbers in place of words for values that depend on the device, among the values of an axis. In a list
 * [a, b], one that another item has already is left out. False: there are none. */
bool relative_resolve(struct reading *reading, struct yaml_node *values, const struct axis *axis);

/* Settings of the job that apply to its sweeps. */
struct sweep_context {
    const struct yaml_node *defaults; /* the mapping, or NULL */
    bool cache_given;                 /* timing.cache is the default of the cache axis */
    enum cache_mode cache;
};

/* Read the kernel of a sweep and check its keys; then the axes of the job are known. */
int sweep_read_kernel(struct reading *reading, const struct yaml_node *node, struct job_sweep *sweep);

/* Read the rest. The caller calls sweep_free, also after a failure. */
int sweep_read(struct reading *reading, const struct yaml_node *node, const struct sweep_context *context,
               struct job_sweep *sweep);
void sweep_free(struct job_sweep *sweep);

/* ---- settings.c ---- */

/* `timing`: missing keys keep their values. */
int settings_timing(struct reading *reading, const struct yaml_node *node, struct timing *timing);

/* `energy`: yes or no. */
int settings_energy(struct reading *reading, const struct yaml_node *node, bool *energy);

/* Set job->counter_set, or job->counter and job->counter_count. */
int settings_counters(struct reading *reading, const struct yaml_node *node, struct job *job);

/* ---- only.c: `only:` of a job file and --only, conditions on axes and on the kernel ---- */

/* Read `only: 'stride<=8'`, or a list of conditions, into job->only. The sweeps of the job must be read
 * already. An axis that no swept kernel has, and a value that none of them supports, are errors. */
int only_read(const struct reading *reading, const struct yaml_node *node, struct job *job);
