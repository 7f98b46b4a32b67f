/* tally.h - what accesses cost, summed: of a warp, a block, a grid. */
#ifndef FAMILY_ACCESS_TALLY_H
#define FAMILY_ACCESS_TALLY_H

#include "family/family.h"

/* One access of a warp, as often as the warp executes it. One that no lane takes part in costs nothing, and is the same
 * wherever it would have gone. */
struct portion {
    enum access_space space;
    bool store;
    int buffer;                                             /* global */
    double requests, bytes, sectors, wavefronts, conflicts; /* wavefronts: of shared memory */
    double lines, l1_wavefronts, rounds, turns; /* no part of what makes two of them equal: see below */
};

/* Sums over accesses. */
struct tally {
    double requests[2][2], bytes[2], sectors[2]; /* [space][store], [store], [store] */
    double wavefronts[2], conflicts[2];          /* [store] */
    double buffer_sectors[2][SETUP_BUFFERS_MAX]; /* [store][buffer] */
    /* For the time model alone, and no part of what makes two tallies equal: lines are longer than sectors, so that
     * their alignment repeats later; and one access alone tells of no round. */
    double stored_lines, l1_wavefronts, rounds, turns;
};

/* `capability`: of the architecture that the code is compiled for. */
struct portion portion_of(const struct access *access, int capability);
bool portion_equal(const struct portion *a, const struct portion *b);

/* Add it so many times. */
void tally_add_portion(struct tally *sum, const struct portion *portion, double times);
void tally_add(struct tally *sum, const struct tally *part, double times);
bool tally_equal(const struct tally *a, const struct tally *b);

/* The smallest period of `count` portions or tallies, of which it must fit twice; 0: none. */
uint32_t portion_period(const struct portion *stream, uint32_t count);
uint32_t tally_period(const struct tally *blocks, uint32_t count);

#endif
