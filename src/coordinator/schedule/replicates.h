/* replicates.h - the schedule of replicates: further worker processes that measure each point again.
 *
 * When no new points are left, a rank begins rounds: in each one a fresh worker process measures the points of this rank
 * again, in another order, until each point has the requested number of processes. A rank with so many replicates that it would
 * be the last to finish begins earlier. With `devices: all` every rank measures every point that often; then rounds begin when
 * all points have been measured once. */
#pragma once

#include "coordinator/schedule/schedule.h"

struct replicates; /* opaque */

struct replicates_options {
    int ranks;
    uint32_t processes; /* per point and device */
    bool all_devices;
    uint64_t seed; /* of the orders */
};

struct replicates *replicates_new(const struct replicates_options *options);
void replicates_free(struct replicates *replicates);

/* `processes` processes of the rank, in this run or earlier ones, have measured the point successfully. */
void replicates_add(struct replicates *replicates, int rank, uint32_t index, uint32_t processes);

/* The same for a point of an earlier run with `devices: all`: other ranks have their own number of processes, and it may be 0. */
void replicates_add_own(struct replicates *replicates, int rank, uint32_t index, uint32_t processes);

/* `waiting`, `running`: there are points that nobody has measured, or items that run. Returns true once, when rounds may
 * begin; from then on call replicates_issue for each idle rank. */
bool replicates_open(struct replicates *replicates, bool waiting, bool running);

/* Queue the next round of an idle rank. Returns the number of items; 0 before rounds have begun, unless the rank is to begin `early`:
 * it then finishes the rounds of its points. Never with `devices: all`. */
size_t replicates_issue(struct replicates *replicates, struct schedule *schedule, int rank, bool early);

/* Whether all replicates of the points that the rank has measured so far are queued, or were. */
bool replicates_are_issued(const struct replicates *replicates, int rank);

/* Number of replicates in a complete run of `points` points. */
size_t replicates_planned(const struct replicates *replicates, size_t points);
