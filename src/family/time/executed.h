/* executed.h - how many instructions a warp executes, at least, by its machine code and its accesses to memory. */
#ifndef FAMILY_TIME_EXECUTED_H
#define FAMILY_TIME_EXECUTED_H

#include "family/access/model.h"
#include "family/code/sass.h"

/* What one warp does, on average over all. */
struct warp_work {
    double loads, stores;               /* requests to global memory */
    double shared_loads, shared_stores; /* requests to shared memory; 0 where none is told */
    double flops;                       /* of a lane; 0 where none is told */
};

/* That of a launch of so many warps, as predicted; requests are NaN where they are not. */
struct warp_work warp_work_of(const struct prediction *prediction, const struct work *work, double warps);

/* The fewest instructions by which control can flow from the code's first instruction to an end, so that just these
 * requests are made, and at least these flops. How often each way through a block of code is gone is an unknown: what flows into
 * a block flows out of it, and the requests passed add up. That settles how often loops that access memory are gone round, and
 * which of several ways is taken, on average over all warps. A loop without either counts as skipped, or gone through once where it cannot be skipped; so
 * do waits and calls. A predicated access may be executed without a lane. Flops that the code's arithmetic cannot make, as
 * those of a function that is one instruction here, are left out. NaN where the requests are not known, where the code
 * cannot make them, or where it jumps to addresses that it computes. */
double executed_min(const struct sass *sass, const struct warp_work *work);

#endif
