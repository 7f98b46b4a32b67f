/* run_timeline.h - a row for each phase and kernel of a lane, laid end to end. The first message of a rank
 * puts its lane on the clock of rank 0. */
#pragma once

#include "protocol/timeline.h"
#include "protocol/wire.h"

/* The seconds by phase of the ranks and of the coordinator. */
struct run_timeline {
    double start;               /* of the run, s of clock_now */
    struct recorded_lane *lane; /* owned: of each rank, then the coordinator's */
    int ended;                  /* ranks that have sent their last sums */
};

struct run;

void run_timeline_start(struct run *run);
void run_timeline_end(struct run *run);

/* Handle WIRE_LANE of a rank. */
void run_timeline_receive(struct run *run, int rank, struct wire_reader *payload);

/* The coordinator was in `phase` from `start` to `end`, s of clock_now. */
void run_timeline_add(struct run *run, enum phase phase, double start, double end);

/* Before a file is written: put what is known so far into the store. */
void run_timeline_write(struct run *run);
