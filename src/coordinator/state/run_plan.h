/* run_plan.h - the job, grid, order of work and results file of a run, and what the file records of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "coordinator/state/run_options.h"
#include "coordinator/state/team.h"
#include "plan/grid.h"
#include "plan/job.h"
#include "protocol/config.h"
#include "store/store.h"

/* /environment of the results file: a growing list of pairs. Start from {0}. */
struct environment {
    struct store_pair *pair;
    int count;
    size_t capacity;
};
void environment_add(struct environment *environment, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void environment_free(struct environment *environment);
/* Add the lines NAME\tVALUE of family/code/closure.h that have other names. */
void environment_read(struct environment *environment, const void *lines, size_t size);

/* Add release, commit, command line, start time, kernel, MPI library, and variables that say where
 * it ran; workers report those that results depend on. Never the whole environment, which may contain
 * secrets. */
void environment_collect(struct environment *environment, int argc, char **argv, const char *output);

/* The command line, quoted for a shell. The caller frees it. */
char *environment_command(int argc, char **argv);

/* A point that earlier runs have measured by fewer processes than this run requests, on the device of
 * `rank`. */
struct partial {
    uint32_t index, processes;
    int rank;
};

struct run_plan {
    struct job job;
    struct grid *grid;
    struct config config; /* of every worker; each rank sets threads, CPUs and cache itself */
    struct store *store;  /* NULL until run_plan_load */
    bool open;            /* run_plan_open has succeeded */
    bool loads_link;      /* the job has points that load the host link; else its peak is not measured */
    uint32_t *todo;       /* indices into the grid, in the order of work; of a pair, the first point */
    size_t todo_count;
    struct partial *partial; /* points that lack processes */
    size_t partial_count, partial_capacity;
    uint32_t *to_count; /* points that are timed but lack counters or energy */
    size_t to_count_count, to_count_capacity;
    size_t todo_pairs;       /* pairs among `todo` */
    size_t before;           /* points done by earlier runs */
    size_t others;           /* points that the file has of other jobs or shares: they stay */
    size_t unsupported;      /* points that run_plan_select has found unsupported */
    uint32_t highest_repeat; /* number of a repetition in the file */
};

/* Read the job and expand its grid. Quick, and without a device. Start from {0}; on failure too,
 * run_plan_close. */
int run_plan_read(struct run_plan *plan, const struct launch_options *options, struct error *error);

/* Lock the results file and read what an earlier run has left; the seed is that run's. Nothing is written. */
int run_plan_load(struct run_plan *plan, const struct launch_options *options, struct error *error);

/* Start writing the results file. `sources`: see sources_collect; what `privacy` hides is hidden. */
int run_plan_open(struct run_plan *plan, const struct environment *environment, struct frame *sources,
                  const struct privacy *privacy, struct error *error);

/* Add the folders of the job, of the results file and of the user's kernels. */
void run_plan_hide_paths(const struct run_plan *plan, const struct launch_options *options,
                         struct privacy *privacy);

#define SOURCES_MAX (1 << 20) /* bytes of text in a file */

/* The texts of the job's families that are not built in, as rows of /sources (docs/results-file.md). If they
 * are too long there are none, and `*too_long` is their size; else that is 0. */
struct frame sources_collect(const struct job *job, size_t *too_long);

/* Fill `todo` with the points of this run's share that no earlier run has done. --retry-failed adds failed
 * points, --remeasure those without the current counters. Points that no device supports are recorded as
 * unsupported. */
int run_plan_select(struct run_plan *plan, const struct launch_options *options,
                    const struct environment *environment, const struct team *team, struct error *error);

/* Expected seconds of a point by one process, estimated from its work; of a pair, of this one of its
 * points. */
double run_plan_expected_seconds(const struct run_plan *plan, uint32_t index);

/* The accesses of warps in one launch of a timed point, by the access model; 0: unknown. */
double run_plan_expected_accesses(const struct run_plan *plan, uint32_t index);

/* Store a result of point `index`, measured on `device` (NULL: none), which is row `row` of /devices. */
int run_plan_record(struct run_plan *plan, uint32_t index, struct result *result, const struct device *device,
                    int row, struct error *error);

/* What the file has of the point; false: nothing. A number of its row; NaN without one. */
bool run_plan_find(const struct run_plan *plan, uint32_t index, struct store_point *there);
double run_plan_real(const struct run_plan *plan, uint32_t index, const char *column);

/* Whether the file has a good result of the point; one that was timed together with its pair. */
bool run_plan_is_ok(const struct run_plan *plan, uint32_t index);
bool run_plan_is_paired(const struct run_plan *plan, uint32_t index);

/* Write the final file and release everything but what it contains, which `results` gets (not NULL: if there
 * is such a file). */
int run_plan_close(struct run_plan *plan, struct dataset *results, struct error *error);

/* ---- Whether a run may add to a results file: back end, seed, rules of measuring, timing, kernel code,
 * counters (pairs of /environment) and the product of the devices (/devices) must match ---- */

/* Add rules, timing and code of this run. The caller adds the other compared pairs: backend, seed,
 * counters. */
void identity_describe(struct environment *environment, const struct run_plan *plan);

/* The back end of the resumed file; NULL if it has no rows. */
const char *identity_backend(const struct dataset *file);

/* Compare the file with the run that resumes it. Adds lines for the user to `lines`: a table of the
 * differences, or a note that an older file lacks information. 0: the run may continue; -1: there is a
 * difference that no option allows. */
int identity_check(const struct dataset *file, const struct environment *now, const struct team *team,
                   const struct launch_options *options, struct text *lines, struct error *error);

/* Whether run `run` of the file has counted the same counters as `now`. */
bool identity_same_counters(const struct dataset *file, int64_t run, const struct environment *now);
