/* canaries.h - points that every device repeats, to record drift and the spread between devices. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CANARIES_MAX    4
#define CANARY_INTERVAL 600.0 /* s */

/* They are repeated at the start, half-way, every ten minutes and at the end. */
struct canaries {
    uint32_t index[CANARIES_MAX]; /* into the grid */
    int count;
    size_t failed[CANARIES_MAX]; /* repetitions */
    bool good[CANARIES_MAX];     /* the point, or a repetition, has succeeded on some device */
    uint32_t repeat;             /* the last number given; repetitions are numbered over all devices */
    double last;                 /* s of clock_now: when they were last handed out */
    bool started, halved;
};

struct run;

/* Choose up to CANARIES_MAX, one per 16 points. */
void canaries_choose(struct run *run);

/* Hand out a round if one is due; `finished`: all points are measured. True if it did. */
bool canaries_tick(struct run *run, bool finished);

/* Hand the last round to a rank that has nothing left to time, unless it has had that. */
void canaries_end(struct run *run, int rank);

/* Note a result of the point or a repetition. True if it is a canary that has not succeeded on any device:
 * its kernel is at fault, and no device. It is not repeated again. */
bool canaries_take(struct run *run, uint32_t index, bool bad, bool repetition);

/* Hand all of them to one rank now, to check its device. */
void canaries_probe(struct run *run, int rank);
