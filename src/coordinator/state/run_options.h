/* run_options.h - what a run is asked for: the job, the output file and the options of `warpsweep run`. */
#ifndef COORDINATOR_STATE_RUN_OPTIONS_H
#define COORDINATOR_STATE_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/compose.h"
#include "plan/share.h"

/* Who is told of rows as they come, on rank 0. `begin` comes once, before anything is written or measured, with the job
 * and what is counted; when it returns -1 with the error, so does the run. `row` comes once a point, with the row of
 * file->results that it stands in, when its first process has measured it and, as far as it is to be counted, counted. */
struct config;
struct dataset;
struct launch_live {
    int (*begin)(void *context, const struct job *job, const struct config *config, struct error *error);
    void (*row)(void *context, const struct dataset *file, size_t row);
    void *context;
};

struct launch_options {
    struct job_source job;
    const char *output_path;
    bool resume, retry_failed;
    bool append_device;      /* resume on a device of another product, too */
    bool remeasure_counters; /* measure points again that have not what is counted now */
    const char *backend;     /* "auto", "cuda", "host", "fake" */
    struct share share;      /* of the points; {0}: all */
    bool static_schedule;
    const char *counters; /* a set that stands in for the job's; NULL: the job's */
    bool seed_given;
    uint64_t seed;
    double time_limit; /* seconds; 0: none */
    double
        silence; /* seconds: a rank that gives no sign of life for so long is given up; 0: HEARTBEAT_TIMEOUT */
    const struct launch_live *live; /* NULL: nobody */
    bool verbose;                   /* tell what each rank does, on stderr */
    int argc;                       /* the command line, for /environment */
    char **argv;
};

#endif
