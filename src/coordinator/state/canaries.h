/* canaries.h - points that every device repeats at the start, half-way, every ten minutes and at the end, so
 * that drift and the spread between devices are in the file. */
#ifndef COORDINATOR_STATE_CANARIES_H
#define COORDINATOR_STATE_CANARIES_H

#include "coordinator/schedule/schedule.h"
#include "coordinator/state/run_plan.h"
#include "coordinator/state/team.h"

#define CANARIES_MAX    4
#define CANARY_INTERVAL 600.0 /* s */

struct canaries {
    uint32_t index[CANARIES_MAX]; /* into the grid */
    int count;
    uint32_t repeat; /* the last one given: each repetition of a run, on whatever device, has a number of its
                        own */
    double last;     /* when they were handed out last, in seconds */
    bool started, halved, ended;
};

/* Choose them: fewer when there are few points to measure. */
struct canaries canaries_choose(const struct run_plan *plan, const struct team *team);

/* Hand out a round if one is due; `finished`: all points are. True when it did. */
bool canaries_tick(struct canaries *canaries, struct schedule *schedule, const struct team *team,
                   size_t total, bool finished);

/* Hand all of them to one rank, out of turn: is it still what it was? */
void canaries_probe(struct canaries *canaries, struct schedule *schedule, int rank);

#endif
