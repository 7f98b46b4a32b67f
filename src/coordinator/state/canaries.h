/* canaries.h - points that every device repeats at the start, half-way, every ten minutes and at the end, to record drift
 * and the spread between devices. */
#pragma once

#include "coordinator/schedule/schedule.h"
#include "coordinator/state/run_plan.h"
#include "coordinator/state/team.h"

#define CANARIES_MAX    4
#define CANARY_INTERVAL 600.0 /* s */

struct canaries {
    uint32_t index[CANARIES_MAX]; /* into the grid */
    int count;
    size_t failed[CANARIES_MAX]; /* repetitions */
    bool good[CANARIES_MAX];     /* the point, or a repetition, has succeeded on some device */
    uint32_t repeat;             /* the last number given; repetitions are numbered over all devices */
    double last;                 /* s of clock_now: when they were last handed out */
    bool started, halved;
};

/* Choose up to CANARIES_MAX, one per 16 points. */
struct canaries canaries_choose(const struct run_plan *plan, const struct team *team);

/* Hand out a round if one is due; `finished`: all points are measured. True if it did. */
bool canaries_tick(struct canaries *canaries, struct schedule *schedule, struct team *team, size_t total,
                   bool finished);

/* Hand the last round to a rank that has nothing left to time, unless it has had that. */
void canaries_end(struct canaries *canaries, struct schedule *schedule, struct team *team, int rank);

/* Note a result of the point or a repetition. True if it is a canary that has not succeeded on any device: its kernel is at fault, and no
 * device. It is not repeated again. */
bool canaries_take(struct canaries *canaries, const struct run_plan *plan, uint32_t index, bool bad,
                   bool repetition);

/* Repetitions that failed although the point succeeds elsewhere, or did before. */
size_t canaries_failed(const struct canaries *canaries);

/* Hand all of them to one rank now, to check its device. */
void canaries_probe(struct canaries *canaries, struct schedule *schedule, int rank);
