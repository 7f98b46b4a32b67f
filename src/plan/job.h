/* job.h - a job file, read: what to sweep and how to measure it. The file's grammar is in docs/job-file.md.
 */
#ifndef PLAN_JOB_H
#define PLAN_JOB_H

#include <stdint.h>

#include "base/error.h"
#include "family/family.h"
#include "protocol/config.h"

/* Limits that bound time and memory whatever the file says; docs/job-file.md lists them. */
#define JOB_FILE_LIMIT   (4u << 20) /* bytes; a longer file is an error before it is read */
#define JOB_SWEEPS_MAX   1000       /* sweeps of one job */
#define JOB_EXCLUDES_MAX 64         /* excludes of one sweep: the bits of a mask in the grid */
#define JOB_ONLY_MAX     64         /* conditions of `only:` */
#define JOB_VALUES_MAX   (1u << 20) /* axis values of all sweeps and excludes together, ranges expanded */
#define JOB_TITLE_MAX    200        /* bytes */

/* The values of one axis in one sweep. Axes that `zip:` ties together share a `group`: they step together. */
struct job_axis {
    int axis;        /* index into the family's axes */
    int64_t *values; /* owned; at least one */
    size_t count;
    int group; /* axes of equal group move together; every free axis has a group of its own */
};

/* A point is left out when, for every axis named here, its value is among those listed. */
struct job_exclude {
    struct job_axis *axes; /* owned */
    int count;
};

struct job_sweep {
    const struct family *family;
    struct job_axis axes[POINT_AXES_MAX]; /* every axis of the family: named in the job, or standard */
    int axis_count;
    struct job_exclude *excludes; /* owned */
    int exclude_count;
    int line, column; /* where the sweep starts, for messages */
};

struct job_only; /* opaque */

struct job {
    char *path, *text; /* owned; text is the file as it was read */
    char *title;       /* owned; "" when the file has none */
    struct timing timing;
    char counter_set[64]; /* "none", a set's name, or "" when `counter` lists metrics */
    char (*counter)[96];  /* owned */
    int counter_count;
    struct job_sweep *sweeps; /* owned */
    int sweep_count;
    struct job_only *only; /* owned: conditions that wanted points fulfil (plan/only.h) */
    int only_count;
};

/* Read and check a job file: a regular file only, since a resumed run reads it again. On failure (-1) the
 * error is ERROR_USAGE with "file:line:column: message", what was expected and the nearest known name;
 * nothing needs freeing then. */
int job_read(const char *path, struct job *job, struct error *error);

/* The same from memory (`path` is for messages): resumes and ranks use the text that rank 0 read. */
int job_parse(const char *path, const char *text, size_t size, struct job *job, struct error *error);

void job_free(struct job *job);

#endif
