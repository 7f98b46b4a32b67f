/* run_plan.h - the job, grid, order of work and results file of a run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "coordinator/state/environment.h"
#include "coordinator/state/run_options.h"
#include "plan/grid.h"
#include "plan/job.h"
#include "protocol/config.h"
#include "store/store.h"

/* A point that earlier runs have measured by fewer processes than this run requests. */
struct partial {
    uint32_t index, processes;
    char uuid[DEVICE_TEXT_SIZE]; /* of its device */
};

struct run_plan {
    struct job job;
    struct grid *grid;
    struct config config; /* of every worker; each rank sets threads, CPUs and cache itself */
    struct store *store;  /* NULL until run_plan_load */
    bool open;            /* run_plan_open has succeeded */
    uint32_t *todo;       /* indices into the grid, in the order of work; of a pair, the first point */
    size_t todo_count;
    struct partial *partial; /* points that lack processes */
    size_t partial_count, partial_capacity;
    uint32_t *to_count; /* points that are timed but lack counters or energy */
    size_t to_count_count, to_count_capacity;
    size_t todo_pairs;       /* pairs among `todo` */
    size_t before;           /* points done by earlier runs */
    size_t unsupported;      /* points that run_plan_select has found unsupported */
    uint32_t highest_repeat; /* number of a repetition in the file */
};

/* Read the job and expand its grid, while the results file of a run that is resumed is read. Quick, and without a device. Start from {0}; on failure too,
 * run_plan_close. */
int run_plan_read(struct run_plan *plan, const struct launch_options *options, struct error *error);

/* Lock the results file and read what an earlier run has left; the seed is that run's. Nothing is written. */
int run_plan_load(struct run_plan *plan, const struct launch_options *options, struct error *error);

/* Start writing the results file. */
int run_plan_open(struct run_plan *plan, const struct environment *environment, struct error *error);

/* Fill `todo` with the points of this run's share that no earlier run has done. --retry-failed adds failed points,
 * --remeasure those without the current counters. Points that no device supports are recorded as unsupported. */
int run_plan_select(struct run_plan *plan, const struct launch_options *options,
                    const struct environment *environment, const struct device *const *devices, int count,
                    struct error *error);

/* Expected seconds of a point, estimated from its work. */
double run_plan_expected_seconds(const struct run_plan *plan, uint32_t index);

/* The accesses of warps in one launch of a timed point, by the access model; 0: unknown. */
double run_plan_expected_accesses(const struct run_plan *plan, uint32_t index);

/* Store a result of point `index`, measured on `device` (NULL: none), which is row `row` of /devices. */
int run_plan_record(struct run_plan *plan, uint32_t index, struct result *result, const struct device *device,
                    int row, struct error *error);

/* The second point of the pair of which point `index` is the first; GRID_ALONE if `index` is measured alone. */
uint32_t run_plan_second(const struct run_plan *plan, uint32_t index);

/* Whether the file has a good result of the point; one that was timed together with its pair. */
bool run_plan_is_ok(const struct run_plan *plan, uint32_t index);
bool run_plan_is_paired(const struct run_plan *plan, uint32_t index);

/* Add the result of another process to the row of its point. */
void run_plan_merge(struct run_plan *plan, struct result *result, int row, struct error *error);

/* Write the final file and release everything. */
int run_plan_close(struct run_plan *plan, struct error *error);
