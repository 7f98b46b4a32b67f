/* access_model.h - the cost of one memory instruction, from the addresses of a warp's lanes.
 *
 * unit.access_model tests these rules one by one:
 *
 *   Splitting. A request moves at most 16 bytes per lane; 32 bytes for global accesses of code compiled for sm_100
 *   and later. Wider accesses become several requests: the first moves the first 16 bytes of each lane, and so on.
 *   Requests. One per instruction with an active lane; instructions without one are not executed.
 *   Sectors. Global memory moves in sectors of 32 bytes. A request costs the number of distinct sectors that its
 *   active lanes touch. A misaligned lane may touch two.
 *   Lines. Distinct lines of 128 bytes, the unit of L1's tags.
 *   Shared memory. It has 32 banks of 4 bytes. One pass of the pipe, a wavefront, serves one word of each bank to
 *   any number of lanes. A group of lanes takes as many wavefronts as the busiest bank has distinct words.
 *     Up to 4 bytes per lane: the group is the warp.
 *     8 bytes: each half-warp is a group, because the 256 bytes of a warp exceed one wavefront. The two groups of a load
 *       merge if that surely halves the data: each lane and lane ^ 1, or each lane and lane ^ 2, have the same address or
 *       are not both active.
 *     16 bytes: each quarter-warp is a group; the two quarters of a half merge on the same condition.
 *   NVIDIA documents banks and broadcast (CUDA C++ Programming Guide, "Shared Memory"). The grouping of wide
 *   accesses is undocumented; it was derived from hardware counters.
 *   Conflicts. Wavefronts beyond one per group.
 *   Shared memory of another block of the cluster. Requests and sectors as of global memory, of at most 16 bytes per lane; counted
 *   on an H100 for neighbouring lanes with 4, 8 and 16 bytes and for single lanes. Its wavefronts follow no known rule. */
#pragma once

#include "family/family.h"

#define SECTOR_BYTES 32
#define LINE_BYTES   128

/* Cost of one execution, without access.times. */
struct access_cost {
    uint32_t requests;
    uint32_t bytes;          /* global and cluster: distinct bytes requested by the lanes */
    uint32_t sectors, lines; /* global and cluster */
    uint32_t wavefronts,
        conflicts; /* of shared memory; global accesses: of L1, which has the same banks; cluster: unused */
};

/* `capability`: compute capability that the code is compiled for. */
struct access_cost access_model_cost(const struct access *access, int capability);
