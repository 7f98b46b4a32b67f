/* run_options.h - the options of `warpsweep run`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/job.h"
#include "plan/grid.h"
#include "store/merge/store_merge.h"

struct launch_options {
    struct job_source job;
    struct job_pair pair; /* of --pair */
    const char *output_path;
    bool resume, retry_failed;
    bool append_device;       /* resume on devices of another product */
    struct accepted accepted; /* resume although these differ */
    bool remeasure_counters;  /* measure points again that lack the current counters */
    const char *backend;      /* "auto", "cuda", "host", "fake" */
    struct share share;       /* of the points; {0}: all */
    const char *counters;     /* a set that replaces the job's; NULL: none */
    bool energy;              /* measure energy, also if the job does not ask for it */
    bool seed_given;
    uint64_t seed;
    double time_limit; /* seconds; 0: none */
    double silence;    /* s without a heartbeat after which a rank is lost; 0: HEARTBEAT_TIMEOUT */
    bool no_sources;   /* leave the text of users' families out of the file */
    bool anonymous;    /* no names of hosts and users, no paths, in the file */
    bool verbose;      /* log what each rank does, on stderr */
    int argc;          /* the command line, for /environment */
    char **argv;
};
