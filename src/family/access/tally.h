/* tally.h - summed costs of the accesses of a warp, a block or a grid. */
#pragma once

#include "family/family.h"

/* Cost of one access instruction times its executions by a warp. Without active lanes all fields that are compared are 0. */
struct portion {
    enum access_space space;
    bool store, atomic;
    int buffer;                                             /* global only */
    double requests, bytes, sectors, wavefronts, conflicts; /* wavefronts: of shared memory */
    bool to_cluster;                                        /* also without active lanes; not compared */
    double lines, l1_wavefronts, rounds, turns, random;     /* not compared, except turns: see struct tally */
};

/* Sums over accesses. */
struct tally {
    double requests[2][2], bytes[2], sectors[2];    /* [space][store], [store], [store] */
    double wavefronts[2], conflicts[2];             /* [store] */
    double buffer_sectors[2][SETUP_BUFFERS_MAX];    /* [store][buffer] */
    double atomics[2][2], atomic_sectors[2];        /* [space][store], [store]: none of them counted above */
    double cluster_requests[2], cluster_sectors[2]; /* [store]: of ACCESS_CLUSTER, not counted above */
    /* For the time model; tally_equal does not compare them. Lines are longer than sectors, so their alignment repeats
     * later; and rounds span several accesses. */
    double stored_lines, l1_wavefronts, rounds, turns, random;
    double to_cluster; /* instructions to ACCESS_CLUSTER, with or without active lanes */
};

/* `capability`: of the architecture that the code is compiled for. */
struct portion portion_of(const struct access *access, int capability);
bool portion_equal(const struct portion *a, const struct portion *b);

/* Add `times` times the cost. */
void tally_add_portion(struct tally *sum, const struct portion *portion, double times);
void tally_add(struct tally *sum, const struct tally *part, double times);
bool tally_equal(const struct tally *a, const struct tally *b);

/* The smallest period of the sequence that fits at least twice; 0: none. */
uint32_t portion_period(const struct portion *stream, uint32_t count);
uint32_t tally_period(const struct tally *blocks, uint32_t count);
