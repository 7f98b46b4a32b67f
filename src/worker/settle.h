/* settle.h - the state of the SM clock in which a point is sampled, and its course since the first launch.
 *
 * Tensor cores reach the power limit of the board. On an H200, products of 8192 run at 805 TFLOP/s for 20 to
 * 70 ms, at 687 until 0.9 s, and at 580 until the mean power over a second is the limit again; from then on
 * the clock swings by 4 % with a period of a second. The limit holds the mean over a second, so each second
 * from 0.1 s on has the same rate within 0.3 % (fp8: 0.9 %), whatever ran before. So a point whose clock is
 * lowered is loaded until the clock no longer falls steeply, and then sampled over whole periods.
 *
 * A boost clock has a second state. Once a process has multiplied sparse matrices for some tenths of a
 * second, all products are slower, dense ones of random bf16 by 4 %, those of zeros by 2 %, in every process
 * of the device, until none is left (H200, board 692-2G520-0282-001, driver 580; PyTorch with cuSPARSELt
 * shows the same). Seconds of rest do not end it, and no other type begins it. So sparse points come when all
 * processes of the others have ended (point_slows), none is a canary, and the first of a process is loaded
 * until the clock has fallen. A process rests longer before its first burst of another point: the state
 * outlasts the process of an earlier run by seconds. Not every process of sparse points falls into it. */
#pragma once

#include <stdbool.h>

#include "worker/stages.h"

#define SETTLE_LOOK    20e-3 /* s of load of a look */
#define SETTLE_LONGEST 5.0   /* s of load after which the clock is taken as it is */
#define SETTLE_FALL    0.03  /* relative: of the clock over SETTLE_LEAST, by a line through its looks */
#define SETTLE_DRIFT   0.02  /* the same over a sampled period: one that changes by more is no sample */
enum { SETTLE_FOLDS = 10 };  /* samples that a period becomes; of a pair, quadruples */

/* Points that are sampled together: one, or a pair. `take` appends samples of about `seconds` of load to the
 * results of all; false: a point has ended. */
struct settling {
    struct trial *trial[2]; /* the second is NULL for one */
    bool (*take)(void *context, double seconds);
    void *context;
};

/* Are these samples of a lowered clock, in a run that wants a sustained or a boost clock? */
bool settle_is_wanted(const struct stages *stages, const struct sample *samples, uint32_t count);

/* Sustained: load until the clock neither falls nor rises by over SETTLE_FALL. Boost: pause. Leaves no
 * sample, but what the rows say of it, and `stopping` at its start. False: a point has ended. */
bool settle(const struct settling *settling, struct stopping *stopping, const struct timing *timing);

/* Sample a period, the next one if the clock drifts, and fold its samples into SETTLE_FOLDS, each the mean of
 * samples that are spread evenly over the period. They are appended; `first`: of the folded ones. False: a
 * point has ended. */
bool settle_sample_period(const struct settling *settling, uint32_t *first);

/* A boost clock: leave the device alone, and take samples only as long as the power limit does not answer. */
struct timing settle_timing(const struct timing *timing);

/* Seconds of load before the rest of a point at the boost clock: the first sparse product of a process brings
 * about the state that lasts for those behind it. `*loaded`: the process has had this load; at first false.
 */
double settle_sparse_load(bool *loaded, bool sparse);

/* How many of `count` samples, each of `seconds` of load, may be taken at once: at least one. A lowered clock
 * is given another rest first if none has time after a load of `spent` s, which counts from that rest. */
uint32_t settle_burst(const struct timing *timing, bool lowered, double seconds, uint32_t count,
                      double *spent);

/* A transient: leave the device alone, then sample for max_time, and keep a mean of each look, with its power
 * and the time since the first launch. Looks are longer later on. False: the point has ended. */
#define TRANSIENT_LOOK  10e-3 /* s of load of a look at least; then a share of the time so far; at most */
#define TRANSIENT_SHARE 0.02
#define TRANSIENT_MOST  50e-3
bool settle_transient(const struct settling *settling, const struct timing *timing);
