/* settle.h - the state of the SM clock in which a point is sampled.
 *
 * Tensor cores reach the power limit of the board. On an H200, products of 8192 run at 805 TFLOP/s for 20 to
 * 70 ms, at 687 until 0.7 s, and at 628 until the driver's mean power over a second is the limit again; from
 * then on the clock swings by 4 % with a period of a second, whose mean rate is 669 within 0.3 %, whatever
 * ran before. So a point whose clock is lowered is loaded first, and then sampled over whole periods. */
#pragma once

#include <stdbool.h>

#include "worker/stages.h"

#define SETTLE_LOOK    20e-3 /* s of load of a look */
#define SETTLE_PERIOD  1.0   /* s of load over which power is regulated */
#define SETTLE_LONGEST 5.0   /* s of load after which the clock is taken as it is */
#define SETTLE_DRIFT   0.02  /* relative: of the clock over a period, by a line through its looks */
enum { SETTLE_FOLDS = 10 };  /* samples that a period becomes; of a pair, quadruples */

/* Points that are sampled together: one, or a pair. `take` appends samples of about `seconds` of load to the
 * results of all; false: a point has ended. */
struct settling {
    struct trial *trial[2]; /* the second is NULL for one */
    bool (*take)(void *context, double seconds);
    void *context;
};

/* Are these samples of a lowered clock, in a run that wants a sustained one? */
bool settle_is_wanted(const struct stages *stages, const struct sample *samples, uint32_t count);

/* Load until the clock neither falls nor rises by over SETTLE_DRIFT a period. Leaves no sample, but what the
 * rows say of it, and `stopping` at its start. False: a point has ended. */
bool settle(const struct settling *settling, struct stopping *stopping, const struct timing *timing);

/* Sample a period, and fold its samples into SETTLE_FOLDS, each the mean of samples that are spread evenly
 * over the period. They are appended; `first`: of the folded ones. False: a point has ended. */
bool settle_sample_period(const struct settling *settling, uint32_t *first);

/* A boost clock: leave the device alone before the first sample, and take all of them before the power limit
 * answers. Does nothing to other clocks. */
#define BOOST_PAUSE 0.5   /* s */
#define BOOST_TIME  15e-3 /* s of sampling */
void settle_cool(const struct stages *stages);
struct timing settle_timing(const struct timing *timing);
