/* replicates.h - the further processes that measure each point, after the first: who, in which order, when.
 *
 * A rank that finds no point any more which nobody has measured begins a round of its own: a fresh worker
 * process measures the points that the rank's earlier ones did, in another order, until each has had as many
 * processes as are wanted. With `all devices` every rank measures every point so often: then the rounds begin
 * when all points have been measured once. */
#ifndef COORDINATOR_SCHEDULE_REPLICATES_H
#define COORDINATOR_SCHEDULE_REPLICATES_H

#include "coordinator/schedule/schedule.h"

struct replicates; /* opaque */

struct replicates_options {
    int ranks;
    uint32_t processes; /* that measure each point, on each device */
    bool all_devices;
    uint64_t seed; /* of the orders */
};

struct replicates *replicates_new(const struct replicates_options *options);
void replicates_free(struct replicates *replicates);

/* A point was measured well by the first of the rank's processes; or, `processes` of them, by an earlier run. */
void replicates_add(struct replicates *replicates, int rank, uint32_t index, uint32_t processes);

/* Points are still waiting that nobody has measured (`waiting`), or running (`running`): when rounds may begin for
 * the first time, true. After that replicates_issue is to be called for each rank that is idle. */
bool replicates_open(struct replicates *replicates, bool waiting, bool running);

/* The rank is idle: queue its next round, if there is one; returns how many items that are. 0 before rounds have
 * begun. */
size_t replicates_issue(struct replicates *replicates, struct schedule *schedule, int rank);

/* Measurements by further processes that a complete run has, beside those of the first ones. */
size_t replicates_planned(const struct replicates *replicates, size_t points);

#endif
