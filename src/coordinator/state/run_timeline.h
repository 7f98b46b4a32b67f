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

struct chronicle; /* opaque */

struct chronicle *chronicle_new(int ranks);
void chronicle_free(struct chronicle *chronicle);

/* The file is open and knows the devices: what has come together goes there, and what comes later at once. */
void chronicle_open(struct chronicle *chronicle, const struct team *team, struct store *store);

/* SPANS of a rank. */
void chronicle_take(struct chronicle *chronicle, const struct team *team, int rank,
                    struct wire_reader *payload);

/* The coordinator was in `phase` from `start` until now, or `end` (of clock_now); instants are left out. */
void chronicle_tell(struct chronicle *chronicle, enum phase phase, double start);
void chronicle_tell_of(struct chronicle *chronicle, enum phase phase, double start, double end);

/* Ranks that have told their last. */
int chronicle_ended(const struct chronicle *chronicle);

/* What follows is the file's end: every rank that told its last waits for it, from then on until it is written. */
void chronicle_end(struct chronicle *chronicle, const struct team *team);

#endif
