/* run_timeline.h - the timeline as the coordinator keeps it: what the ranks tell, on the run's clock, into the store; and what
 * the coordinator is at itself.
 *
 * The run's clock starts when rank 0's process did. Each rank tells how far its own clock is behind the time of day, so
 * that lanes of different machines stand as true to each other as these agree on that; lengths do not hang on it. */
#ifndef COORDINATOR_STATE_RUN_TIMELINE_H
#define COORDINATOR_STATE_RUN_TIMELINE_H

#include "coordinator/state/team.h"
#include "protocol/timeline.h"
#include "store/store.h"

struct run_timeline; /* opaque */

struct run_timeline *run_timeline_new(int ranks);
void run_timeline_free(struct run_timeline *timeline);

/* The file is open and knows the devices: what has come together goes there, and what comes later at once. */
void run_timeline_open(struct run_timeline *timeline, const struct team *team, struct store *store);

/* SPANS of a rank. */
void run_timeline_receive(struct run_timeline *timeline, const struct team *team, int rank,
                          struct wire_reader *payload);

/* The coordinator was in `phase` from `start` until now, or `end` (of clock_now); instants are left out. */
void run_timeline_add_until_now(struct run_timeline *timeline, enum phase phase, double start);
void run_timeline_add(struct run_timeline *timeline, enum phase phase, double start, double end);

/* Ranks that have told their last. */
int run_timeline_ended_ranks(const struct run_timeline *timeline);

/* What follows is the file's end: every rank that told its last waits for it, from then on until it is written. */
void run_timeline_finish(struct run_timeline *timeline, const struct team *team);

#endif
