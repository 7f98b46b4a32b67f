/* run_options.h - the options of `warpsweep run`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/compose.h"
#include "plan/share.h"

/* An observer of rows, on rank 0. `begin` is called once before anything is written or measured; -1 with the error ends the
 * run. `row` is called once per point with its row of file->results, after its first process has measured it and counted it,
 * if it is counted. */
struct config;
struct dataset;
struct launch_live {
    int (*begin)(void *context, const struct job *job, const struct config *config, struct error *error);
    void (*row)(void *context, const struct dataset *file, size_t row);
    void *context;
};

struct launch_options {
    struct job_source job;
    struct job_pair pair; /* of --pair */
    const char *output_path;
    bool resume, retry_failed;
    bool append_device;      /* resume on devices of another product */
    bool remeasure_counters; /* measure points again that lack the current counters */
    const char *backend;     /* "auto", "cuda", "host", "fake" */
    struct share share;      /* of the points; {0}: all */
    bool static_schedule;
    const char *counters; /* a set that replaces the job's; NULL: none */
    bool energy;          /* measure energy, also if the job does not ask for it */
    bool seed_given;
    uint64_t seed;
    double time_limit; /* seconds; 0: none */
    double silence;    /* s without a heartbeat after which a rank is lost; 0: HEARTBEAT_TIMEOUT */
    const struct launch_live *live; /* NULL: none */
    bool verbose;                   /* log what each rank does, on stderr */
    int argc;                       /* the command line, for /environment */
    char **argv;
};
