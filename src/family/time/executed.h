/* executed.h - the minimum number of instructions that a warp executes, from its machine code and its memory requests. */
#pragma once

#include "family/access/model.h"
#include "family/code/sass.h"

/* Work per warp, averaged over all warps. */
struct warp_work {
    double loads, stores;               /* requests to global memory */
    double shared_loads, shared_stores; /* requests to shared memory; 0 if unknown */
    double flops;                       /* per lane; 0 if unknown */
};

/* The work per warp of a launch of `warps` warps, from its prediction; NaN for unpredicted requests. */
struct warp_work warp_work_of(const struct prediction *prediction, const struct work *work, double warps);

/* The fewest instructions on a path from the first instruction to an end that makes exactly these requests and at least these
 * flops. The unknowns are how often each branch is taken. The flow into a basic block equals the flow out of it, and the
 * requests along the path must add up. This determines the trip counts of loops that access memory, and the branches taken,
 * on average over all warps. Loops without memory accesses and flops count as skipped, or as executed once if they cannot be
 * skipped; so do waits and calls. A predicated access may be executed without an active lane. Flops that the code's arithmetic
 * cannot reach are ignored, for example those of a function that is a single instruction here. NaN if the requests are
 * unknown, if the code cannot make them, or if it has computed jumps. */
double executed_min(const struct sass *sass, const struct warp_work *work);
