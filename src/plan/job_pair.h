/* job_pair.h - which points of a job are measured in pairs: those that differ only in the version of their kernel
 * (family/versions.h), or in two values of one axis (run --pair). */
#ifndef PLAN_JOB_PAIR_H
#define PLAN_JOB_PAIR_H

#include <stdbool.h>

#include "base/error.h"
#include "core/point.h"

/* An axis and two of its values, as written in a job file; `axis` empty: the versions, if families have two. */
struct job_pair {
    char axis[AXIS_TEXT_SIZE], value[2][AXIS_TEXT_SIZE];
};

/* Parse "AXIS=A,B". 0, or -1 with an ERROR_USAGE. */
int job_pair_parse(const char *text, struct job_pair *pair, struct error *error);

/* Whether a run has pairs at all. */
bool job_pair_is_wanted(const struct job_pair *pair);

/* The axis in which the pairs of a kernel differ, and its two values; -1: the kernel has no pairs. */
int job_pair_of(const struct job_pair *pair, const struct space *space, int64_t value[2]);

#endif
