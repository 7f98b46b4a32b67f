/* compose.h - a job from the command line: a job file or a single kernel, modified by --set and --only. The result is the
 * text of a job file, which the results file records and which parses to the same job. */
#pragma once

#include "plan/job.h"

#define COMPOSE_EDITS_MAX 256 /* of each kind */

/* Texts are borrowed. */
struct job_source {
    const char *path;   /* a job file; NULL: `kernel` is given */
    const char *kernel; /* a sweep of this kernel's standard values; NULL: `path` is given */
    const char *set
        [COMPOSE_EDITS_MAX]; /* AXIS=VALUES, KERNEL.AXIS=VALUES, timing.KEY=VALUE, counters=..., energy=..., title=... */
    const char *only[COMPOSE_EDITS_MAX]; /* conditions, as in `only:` */
    int sets, onlys;
};

/* Read the job of a source. Without edits, and without values that depend on the device, job->text is the file, byte for byte.
 * With edits it is written anew: `set` replaces the values of the axis in every sweep whose kernel has it, and drops excludes that would
 * no longer match; `only` is added to the conditions of the file. 0, or -1 with an ERROR_USAGE that names the edit. */
int compose_job(const struct job_source *source, struct job *job, struct error *error);

/* Whether the source has values that depend on the device (plan/relative.h): who runs it must then set the device before. */
bool compose_is_relative(const struct job_source *source);
