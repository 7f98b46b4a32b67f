/* compose.h - a job from the command line: a job file, or a kernel alone, with axes set and points chosen. The result is a
 * job's text like any other: it is what the file records, and read again it is the same job. */
#ifndef PLAN_COMPOSE_H
#define PLAN_COMPOSE_H

#include "plan/job.h"

#define COMPOSE_EDITS_MAX 256 /* of each kind */

/* Texts are borrowed. */
struct job_source {
    const char *path;   /* a job file; or NULL, when `kernel` says all */
    const char *kernel; /* a sweep of this kernel, of standard values; NULL: the file's sweeps */
    const char *set
        [COMPOSE_EDITS_MAX]; /* AXIS=VALUES, KERNEL.AXIS=VALUES, timing.KEY=VALUE, counters=..., title=... */
    const char *only[COMPOSE_EDITS_MAX]; /* conditions, as `only:` has them */
    int sets, onlys;
};

/* Read the job that a source stands for. Without edits it is the file, byte for byte; with them job->text is written anew:
 * `set` stands in the place of what sweeps whose kernel has the axis say of it, and leaves out what `exclude` then would
 * leave out for nothing; `only` joins the file's own. 0, or -1 with ERROR_USAGE that names the edit. */
int compose_job(const struct job_source *source, struct job *job, struct error *error);

/* What messages and the results file call it: the path, or "--kernel NAME". */
const char *compose_name(const struct job_source *source, char *out, size_t size);

#endif
