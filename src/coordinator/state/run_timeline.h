/* run_timeline.h - collect the seconds by phase of the ranks and of the coordinator, and write them into the store from time to time:
 * a row for each phase and kernel of a lane, laid end to end. The first message of a rank puts its lane on the clock of rank 0. */
#pragma once

#include "coordinator/state/team.h"
#include "protocol/timeline.h"
#include "store/store.h"

struct run_timeline; /* opaque */

struct run_timeline *run_timeline_new(int ranks);
void run_timeline_free(struct run_timeline *timeline);

/* The file is open and has the devices. */
void run_timeline_open(struct run_timeline *timeline, const struct team *team, struct store *store);

/* Handle MESSAGE_SPANS of a rank. */
void run_timeline_receive(struct run_timeline *timeline, const struct team *team, int rank,
                          struct wire_reader *payload);

/* The coordinator was in `phase` from `start` until now, or until `end` (s of clock_now). */
void run_timeline_add_until_now(struct run_timeline *timeline, enum phase phase, double start);
void run_timeline_add(struct run_timeline *timeline, enum phase phase, double start, double end);

/* Number of ranks that have sent their last sums. */
int run_timeline_ended_ranks(const struct run_timeline *timeline);

/* The final file is written now: record that the coordinator closes it, and that the ended ranks wait for that. */
void run_timeline_finish(struct run_timeline *timeline, const struct team *team);
