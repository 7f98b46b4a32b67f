/* executed.h - how many instructions a warp executes, at least, by its machine code and its accesses to memory. */
#ifndef FAMILY_EXECUTED_H
#define FAMILY_EXECUTED_H

#include "family/model.h"
#include "family/sass.h"

/* Requests of one warp, on average over all. */
struct executed_accesses {
    double loads, stores;               /* global */
    double shared_loads, shared_stores; /* 0 where none is told */
};

/* Those of a launch of so many warps, as predicted; all NaN where they are not. */
struct executed_accesses executed_accesses_of(const struct prediction *prediction, double warps);

/* The fewest instructions by which control can flow from the code's first instruction to an end, so that just these
 * accesses are made. Each way through a block of code is an unknown: what flows into a block flows out of it, and the accesses
 * passed add up. That settles how often loops that access memory are gone round, and which of several ways is taken. A
 * loop without accesses counts as skipped, or gone through once where it cannot be skipped; so do waits and calls.
 * A predicated access may be executed without a lane. NaN where the accesses are not known, where the code cannot make
 * them, or where it jumps to addresses that it computes. */
double executed_least(const struct sass *sass, const struct executed_accesses *accesses);

#endif
