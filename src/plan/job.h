/* job.h - a parsed job file: what to sweep and how to measure it. docs/job-file.md has the grammar. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "core/condition.h"
#include "core/point.h"
#include "family/family.h"
#include "protocol/config.h"

/* Limits of time and memory for any file; docs/job-file.md lists them. */
#define JOB_FILE_LIMIT   (4u << 20) /* bytes, checked before reading */
#define JOB_SWEEPS_MAX   1000       /* sweeps of one job */
#define JOB_EXCLUDES_MAX 64         /* excludes of one sweep */
#define JOB_ONLY_MAX     64         /* conditions of `only:` */
#define JOB_VALUES_MAX   (1u << 20) /* axis values of all sweeps and excludes together, ranges expanded */
#define JOB_TITLE_MAX    200        /* bytes */

/* Processes of each pair unless the job has `replicates`: an even number, so that each version's code is
 * loaded first equally often, and enough to know how processes differ. */
#define PAIRED_REPLICATES 6

/* Which points are measured in pairs: those that differ in an axis and two of its values, as written in a job
 * file; `axis` empty: in the version of their kernel, if families have two (family/versions.h). */
struct job_pair {
    char axis[AXIS_TEXT_SIZE], value[2][AXIS_TEXT_SIZE];
};

/* Parse "AXIS=A,B". 0, or -1 with an ERROR_USAGE. */
int job_pair_parse(const char *text, struct job_pair *pair, struct error *error);

/* Whether a run has pairs at all. */
bool job_pair_is_wanted(const struct job_pair *pair);

/* The axis in which the pairs of a kernel differ, and its two values; -1: the kernel has no pairs. */
int job_pair_of(const struct job_pair *pair, const struct space *space, int64_t value[2]);

/* The values of one axis in one sweep. Zipped axes have the same `group` and step together. */
struct job_axis {
    int axis;        /* index into the family's axes */
    int64_t *values; /* owned; at least one */
    size_t count;
    int group; /* index of the first axis of the group; its own index if not zipped */
};

/* Leaves out points whose value is listed for every axis named here. */
struct job_exclude {
    struct job_axis *axes; /* owned */
    int count;
};

struct job_sweep {
    const struct family *family;
    struct job_axis axes[POINT_AXES_MAX]; /* all of the family, with standard values if the job has none */
    int axis_count;
    struct job_exclude *excludes; /* owned */
    int exclude_count;
    int line, column; /* position in the file, for messages */
};

struct job {
    /* Owned; `text`: of the file, with numbers in place of values that depend on the device. */
    char *path, *text;
    char title[JOB_TITLE_MAX + 1]; /* "" if the file has none */
    struct timing timing;
    bool energy;             /* measure the energy of launches */
    bool replicates_given;   /* else the default, which is another for pairs */
    struct job_pair pair;    /* set by the caller of job_read; none by default */
    char counter_set[64];    /* "none", the name of a set, or "" if `counter` lists metrics */
    char (*counter)[96];     /* owned */
    int (*counter_place)[2]; /* owned: line and column of each, for messages */
    int counter_count;
    struct job_sweep *sweeps; /* owned */
    int sweep_count;
    struct condition *only; /* owned: conditions on points */
    int only_count;
};

/* How to know the device, which only some jobs need (relative.c): asked at most once by a reading. NULL, or
 * what is 0 of it: as on an H100 SXM. */
struct job_device {
    struct target (*ask)(void *context);
    void *context;
};

/* Read and check a job file. It must be a regular file, because a resumed run reads it again. On failure (-1)
 * the error is ERROR_USAGE with "file:line:column: message", and nothing needs freeing. */
int job_read(const char *path, const struct job_device *device, struct job *job, struct error *error);

/* The same from memory; `path` is for messages. */
int job_parse(const char *path, const char *text, size_t size, const struct job_device *device,
              struct job *job, struct error *error);

/* What the text of a job says although its kernels need not be known. */
struct job_outline {
    char title[JOB_TITLE_MAX + 1];
    uint32_t replicates; /* processes that measure each point */
    bool all_devices;    /* each device measures each point */
};

/* `paired`: of a run whose default is PAIRED_REPLICATES. */
struct job_outline job_outline(const char *text, bool paired);

/* Whether `only` selects a point. If its kernel lacks the axis, only != holds, as for rows of a file. */
bool job_wants(const struct job *job, const struct point *point);

/* Whether an `exclude` of the sweep lists the point's value of every axis that it names. */
bool sweep_excludes(const struct job_sweep *sweep, const struct point *point);

/* Whether no sweep before this one is of the same kernel. */
bool job_is_first_sweep(const struct job *job, int sweep);

/* The distinct kernels of the job, NULL-terminated. The caller frees the array. */
const struct space **job_spaces(const struct job *job);

void job_free(struct job *job);

/* ---- Values that depend on the device (relative.c): `sm: all`, `size: l2*4`, `stages: fit` ----
 *
 * They are replaced when the values are read, and the job is written anew, so that a results file has the
 * numbers that were measured. What is unknown of the device is as on an H100 SXM. */

/* Stages of `fit`: as many of so many bytes as shared memory holds, a slice of tiles of 128 and 256 rows and
 * 128 bytes. */
enum { RELATIVE_STAGE_BYTES = 48 << 10, RELATIVE_STAGES_MAX = 4 };

/* ---- Jobs from the command line (compose.c): a job file or a single kernel, modified by --set and --only */

#define COMPOSE_EDITS_MAX 256 /* of each kind */

/* Texts are borrowed. */
struct job_source {
    const char *path;                    /* a job file; NULL: `kernel` is given */
    const char *kernel;                  /* a sweep of this kernel's standard values; NULL: `path` is given */
    const char *set[COMPOSE_EDITS_MAX];  /* AXIS=VALUES, KERNEL.AXIS=VALUES, timing.KEY=VALUE, energy=... */
    const char *only[COMPOSE_EDITS_MAX]; /* conditions, as in `only:` */
    int sets, onlys;
    const struct job_device *device; /* as for job_parse */
};

/* Read the job of a source. The result is the text of a job file, which the results file records and which
 * parses to the same job. Without edits, and without values that depend on the device, job->text is the file,
 * byte for byte. With edits it is written anew: `set` replaces the values of the axis in every sweep whose
 * kernel has it, and drops excludes that would no longer match; `only` is added to the conditions of the
 * file. 0, or -1 with an ERROR_USAGE that names the edit. */
int compose_job(const struct job_source *source, struct job *job, struct error *error);
