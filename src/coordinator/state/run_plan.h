/* run_plan.h - what a run has to do, and where its results go: job, grid, order of work and results file. */
#ifndef COORDINATOR_STATE_RUN_PLAN_H
#define COORDINATOR_STATE_RUN_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "coordinator/state/environment.h"
#include "coordinator/state/run_options.h"
#include "plan/grid.h"
#include "plan/history.h"
#include "plan/job.h"
#include "protocol/config.h"
#include "store/store.h"

/* A point that an earlier run has measured, but not by as many processes as this one wants. */
struct partial {
    uint32_t index, processes;
    char uuid[DEVICE_TEXT_SIZE]; /* of its device */
};

struct run_plan {
    struct job job;
    struct grid *grid;
    struct config config;    /* what every worker gets; threads, CPUs and cache are each rank's own */
    struct loading *loading; /* of a file that is gone on with: it is being read; NULL after run_plan_load */
    struct store *store;     /* NULL until run_plan_load */
    bool open;               /* the results file is written: run_plan_open has succeeded */
    uint32_t *todo;          /* indices into the grid, in the order of work */
    size_t todo_count;
    struct partial *partial; /* points that fewer processes have measured than are wanted */
    size_t partial_count, partial_capacity;
    uint32_t *to_count; /* points that were timed, and still lack the counters that this run takes */
    size_t to_count_count, to_count_capacity;
    struct history *history; /* how long points took before on such devices; NULL until run_plan_recall */
    char *history_path;      /* NULL: there is no cache to keep it in */
    size_t before;           /* points that were done by earlier runs */
    size_t unsupported;      /* points found impossible by run_plan_select */
    uint32_t highest_repeat; /* of the repetitions in the file */
};

/* Read the job and expand its grid, while the results file of a run that is resumed is read. Quick, and without a device. Start from {0}; on failure too,
 * run_plan_close. */
int run_plan_read(struct run_plan *plan, const struct launch_options *options, struct error *error);

/* Lock the results file and read what an earlier run has left; the seed is that run's. Nothing is written. */
int run_plan_load(struct run_plan *plan, const struct launch_options *options, struct error *error);

/* Begin to write it. */
int run_plan_open(struct run_plan *plan, const struct environment *environment, struct error *error);

/* Fill `todo`: what of this run's share of the points no earlier run has done (or, with --retry-failed, has failed
 * at; with --remeasure, has not counted as this one does) and some device can do. What no device can do is recorded as
 * unsupported. */
int run_plan_select(struct run_plan *plan, const struct launch_options *options,
                    const struct environment *environment, const struct device *const *devices, int count,
                    struct error *error);

/* Find out how long points took before with this back end, on devices of this name; `reorder`: then the
 * longest of `todo` are put first; where nothing is known, some of each kind are. */
void run_plan_recall(struct run_plan *plan, const char *backend, const char *device, bool reorder);

/* Seconds that a point is expected to take: as it did before, or as its work lets guess. */
double run_plan_expected_seconds(const struct run_plan *plan, uint32_t index);

/* Keep a result of point `index`, measured on `device` (NULL: none), which is row `row` of /devices. */
int run_plan_record(struct run_plan *plan, uint32_t index, struct result *result, const struct device *device,
                    int row, struct error *error);

/* Add what another process measured of a point to its row. */
void run_plan_merge(struct run_plan *plan, struct result *result, int row, struct error *error);

/* Write the final file and release everything. */
int run_plan_close(struct run_plan *plan, struct error *error);

#endif
