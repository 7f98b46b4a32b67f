/* access_model.h - from the addresses of one warp's lanes to what the memory units make of them.
 *
 * The rules, which tests/unit/test_access_model.c goes through one by one:
 *
 *   Splitting. An instruction moves at most 16 bytes a lane; global ones 32 bytes in code compiled for sm_100
 *   and later. Wider accesses are several requests: the first of every lane's first 16 bytes, and so on.
 *   Requests. One per instruction that has an active lane. One that has none is not executed.
 *   Sectors. Global memory moves in sectors of 32 bytes: a request costs as many as it has distinct sectors
 *   among its active lanes. Misaligned lanes may touch two.
 *   Lines. The same, of 128 bytes: what L1 has tags for.
 *   Shared memory. 32 banks of 4 bytes; a pass of the pipe, a wavefront, serves one word from each bank, to
 *   any number of lanes. So a group of lanes takes as many wavefronts as the busiest bank has distinct words.
 *     up to 4 bytes a lane: the group is the warp.
 *     8 bytes: each half of the warp is a group, since a warp's 256 bytes do not fit into one wavefront. The
 *       halves of a load go together when that halves their data for sure: when neighbours (lane and lane ^ 1),
 *       or all next but one (lane and lane ^ 2), ask for the same address or one of the two is inactive.
 *     16 bytes: each quarter of the warp is a group; the quarters of a half go together on that condition.
 *   NVIDIA documents banks and broadcast (CUDA C++ Programming Guide, "Shared Memory"); the grouping of wide
 *   accesses is not documented: it is what the hardware's counters show.
 *   Conflicts. Wavefronts beyond one per group. */
#ifndef FAMILY_ACCESS_ACCESS_MODEL_H
#define FAMILY_ACCESS_ACCESS_MODEL_H

#include "family/family.h"

#define SECTOR_BYTES 32
#define LINE_BYTES   128

/* What one execution costs; `times` is the caller's. */
struct access_cost {
    uint32_t requests;
    uint32_t bytes;          /* global: asked for by lanes; what several ask for counts once a request */
    uint32_t sectors, lines; /* global */
    uint32_t wavefronts,
        conflicts; /* of shared memory; global: of L1, which is the same memory and has the same banks */
};

/* `capability`: of the architecture that the code is compiled for. */
struct access_cost access_model_cost(const struct access *access, int capability);

#endif
