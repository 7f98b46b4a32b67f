/* turns.h - the order in which the samples of a pair are taken.
 *
 * Samples come in quadruples A B B A, so that a drift of the clock and the effect of coming first cancel in
 * each. In every other process of a pair, B's code is loaded first and quadruples are B A A B, so that those
 * effects of order that do not cancel within a process cancel between processes. A reader knows the order
 * without being told: samples of a process are in the order in which they were taken, and the processes of a
 * device take their turns in the order of their numbers. */
#pragma once

#include <stdint.h>

#define TURNS_QUADRUPLE 4

/* Which version comes first in a process that is the `turn`-th of its pair, from 0. */
static inline int turns_first(uint32_t turn)
{
    return turn % 2 != 0;
}

/* Which version sample number `k` of such a process is of, counting the samples of both. */
static inline int turns_version(uint32_t turn, uint64_t k)
{
    int inner = k % TURNS_QUADRUPLE == 1 || k % TURNS_QUADRUPLE == 2;
    return inner ^ turns_first(turn);
}
