/* access.h - the parts of the access model: one instruction of a warp, sums over warps and blocks, the grid,
 * DRAM. */
#pragma once

#include "family/access/model.h"

#define SECTOR_BYTES 32
#define LINE_BYTES   128

/* ---- One instruction (access_model.c): its cost, from the addresses of a warp's lanes ----
 *
 * unit.access_model tests these rules one by one:
 *
 *   Splitting. A request moves at most 16 bytes per lane; 32 bytes for global accesses of code compiled for
 *   sm_100 and later. Wider accesses become several requests: the first moves the first 16 bytes of each
 *   lane, and so on. Requests. One per instruction with an active lane; instructions without one are not
 *   executed. Sectors. Global memory moves in sectors of 32 bytes. A request costs the number of distinct
 *   sectors that its active lanes touch. A misaligned lane may touch two.
 *   Lines. Distinct lines of 128 bytes, the unit of L1's tags.
 *   Shared memory. It has 32 banks of 4 bytes. One pass of the pipe, a wavefront, serves one word of each
 *   bank to any number of lanes. A group of lanes takes as many wavefronts as the busiest bank has distinct
 *   words.
 *     Up to 4 bytes per lane: the group is the warp.
 *     8 bytes: each half-warp is a group, because the 256 bytes of a warp exceed one wavefront. The two
 *       groups of a load merge if that surely halves the data: each lane and lane ^ 1, or each lane and
 *       lane ^ 2, have the same address or are not both active.
 *     16 bytes: each quarter-warp is a group; the two quarters of a half merge on the same condition.
 *   NVIDIA documents banks and broadcast (CUDA C++ Programming Guide, "Shared Memory"). The grouping of wide
 *   accesses is undocumented; it was derived from hardware counters.
 *   Conflicts. Wavefronts beyond one per group.
 *   Shared memory of another block of the cluster. Requests and sectors as of global memory, of at most 16
 *   bytes per lane; counted on an H100 for neighbouring lanes with 4, 8 and 16 bytes and for single lanes.
 *   Its wavefronts follow no known rule. */

/* Cost of one execution, without access.times. */
struct access_cost {
    uint32_t requests;
    uint32_t bytes;          /* global and cluster: distinct bytes requested by the lanes */
    uint32_t sectors, lines; /* global and cluster */
    uint32_t wavefronts,
        conflicts; /* of shared memory; global: of L1, which has the same banks; cluster: unused */
};

/* `capability`: compute capability that the code is compiled for. */
struct access_cost access_model_cost(const struct access *access, int capability);

enum { LANES = 32, BANKS = 32 }; /* per warp; of shared memory */

/* ---- Sums over a warp, a block or a grid (tally.c) ---- */

/* Cost of one access instruction times its executions by a warp. Without active lanes all fields that are
 * compared are 0. */
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
    /* For the time model; tally_equal does not compare them. Lines are longer than sectors, so their
     * alignment repeats later; and rounds span several accesses. */
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

/* ---- The distinct bytes of DRAM that a sample of neighbouring blocks touches (footprint.c) ---- */

/* Bytes: loads fetch pairs of sectors from DRAM, unless a limit or a qualifier says otherwise. Stores write
 * single sectors back. */
#define GRANULE_BYTES 64

struct footprint;

/* `granule`: bytes that a load fetches, aligned: a power of two, at least a sector. The caller frees it by
 * footprint_free. */
struct footprint *footprint_new(uint32_t granule);
uint32_t footprint_granule(const struct footprint *footprint);
void footprint_free(struct footprint *footprint);

/* Add an access to global memory that costs `cost` sectors. A full footprint ignores it. */
void footprint_add(struct footprint *footprint, const struct access *access, double cost);
bool footprint_full(const struct footprint *footprint);

/* To be called when half of the blocks have been added. */
void footprint_halfway(struct footprint *footprint);

/* The loads from one buffer, or the stores to it. */
struct footprint_part {
    double share;     /* bytes of DRAM, fetched or written back, per sector of cost; NaN: no access */
    double saturated; /* bytes of DRAM in all, if the second half of the blocks touched nothing new; or NaN */
    double partial;   /* stores: share of the sectors that are written only in part */
    double run;       /* mean length of contiguous runs of DRAM bytes; NaN: no access */
};
struct footprint_part footprint_part(const struct footprint *footprint, int buffer, bool store);

/* ---- The cost of all accesses of a launch, from a sample of its warps (grid_tally.c) ---- */

/* A launch of a family that has an access function. */
struct launch {
    const struct point *point;
    const struct family *family;
    const struct setup *setup;
    int capability; /* compute capability that the code is compiled for */
    uint64_t blocks, warps /* per block */;
    uint64_t calls;             /* accesses of the middle block, up to a limit */
    bool ragged;                /* blocks are not whole warps: neighbours differ in alignment to sectors */
    struct footprint *watching; /* every evaluated access is added to it; may be NULL */
};

/* Keeps the pointers. */
struct launch launch_of(const struct point *point, const struct setup *setup, int capability);

/* The cost of all accesses of all warps. family/access/model.h describes the sample and its accuracy. */
struct tally launch_tally(struct launch *launch);

/* The footprint of neighbouring blocks in the middle of the grid, or of all blocks. */
void launch_watch(struct launch *launch, struct footprint *footprint);

/* ---- DRAM traffic, from the sectors of all accesses and a model of L2 (dram_traffic.c) ---- */

/* Input of the model. */
struct dram_launch {
    const struct setup *setup;
    struct work work;
    const struct tally *all;           /* all its accesses */
    const struct footprint *footprint; /* of a sample of neighbouring blocks */
    double l2;                         /* bytes */
    double dirty; /* share of L2's lines that are dirty at the start; NaN: as many as at the end */
};

/* Fill the predictions of DRAM and of what the launch leaves in L2; NaN: unknown. family/access/model.h
 * describes the rules. */
void dram_traffic_predict(const struct dram_launch *launch, struct prediction *prediction);
