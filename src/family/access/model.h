/* model.h - what the hardware's counters have to say about a point, before it runs.
 *
 * Names and units are those of the counters' columns (core/metric.h). NaN: unknown. */
#ifndef FAMILY_ACCESS_MODEL_H
#define FAMILY_ACCESS_MODEL_H

#include "family/family.h"

#define PREDICTIONS(X)                                                                                       \
    X(load_requests)                                                                                         \
    X(load_sectors)                                                                                          \
    X(load_sectors_per_request)                                                                              \
    X(load_efficiency)                                                                                       \
    X(store_requests)                                                                                        \
    X(store_sectors)                                                                                         \
    X(store_sectors_per_request)                                                                             \
    X(store_efficiency)                                                                                      \
    X(shared_load_requests)                                                                                  \
    X(shared_load_wavefronts)                                                                                \
    X(shared_load_wavefronts_per_request)                                                                    \
    X(shared_load_conflicts)                                                                                 \
    X(shared_store_requests)                                                                                 \
    X(shared_store_wavefronts)                                                                               \
    X(shared_store_wavefronts_per_request)                                                                   \
    X(shared_store_conflicts)                                                                                \
    X(dram_bytes_read)                                                                                       \
    X(dram_bytes_written)

struct prediction {
#define X(name) double name;
    PREDICTIONS(X)
#undef X
    double dirty_left; /* share of L2's lines that the launch leaves dirty; NaN: unknown */

    /* For the time model. */
    double
        l1_wavefronts; /* passes of L1's banks by loads from and stores to global memory, as of shared memory */
    double rounds;     /* how often a warp loads from global memory what it then stages in shared memory */
    double
        turns; /* how often a warp waits for loads that may not begin before the last ones are there; 1 at least */
    double moved_read;   /* bytes read from DRAM if L2 keeps nothing; dram_bytes_read where that is known */
    double stored_lines; /* lines of 128 bytes that a store to global memory touches, on average */
    double
        scattered_read; /* 0: DRAM is read in rows; 1: a granule here and there, each in a page of its own */
    double scattered_write;
};

/* Predict a point that can exist on `target` (family_skip says so). False, and all NaN, where the family does
 * not tell its addresses, or no kernel of ours runs.
 *
 * All warps are gone through when they are few. Else the first block and the last two, and windows of
 * neighbouring blocks at the start, in the middle and at the end that stand for those between: exact for
 * patterns that repeat within a window, which all are that step evenly through memory. Where blocks are not
 * alike, as tiles of a matrix whose edges are cut, all are gone through when they make up to some 250,000 accesses;
 * beyond that they may be alike every so many, as rows of an odd width are: exact again. Else 512 blocks stand for
 * all, to some tenths of a percent.
 * Long warps are cut short likewise, where their instructions repeat.
 *
 * Shared memory: NaN where no access to it is told.
 *
 * Bytes of DRAM are predicted for points with a cold L2. Loads fetch pairs of sectors, stores write single
 * ones, which are fetched first where lanes write them in part. What neighbouring blocks ask for several
 * times moves once. What is asked for again much later moves once too when its buffer takes at most half of
 * L2, or all buffers fit; otherwise no prediction is made. What moves past the units that count (bulk and
 * asynchronous copies, textures) counts by the bytes of the family's `work`. The last of what moved is still
 * in L2 when the kernel ends, and what of it is dirty has not been written; in its place it has pushed out
 * what was there when it began, of which the share `dirty` had to be written. NaN stands for the share that
 * the launch itself leaves, as the launches before it on other buffers did: it then writes what it stores. */
bool model_predict(const struct point *point, const struct setup *setup, const struct target *target,
                   double dirty, struct prediction *prediction);

/* The same, a tenth as long, for what-if predictions of many points: exact too where neighbouring blocks are alike. */
bool model_predict_roughly(const struct point *point, const struct setup *setup, const struct target *target,
                           double dirty, struct prediction *prediction);

/* Are all of a point's accesses such as families tell? What is read from constant memory and through textures is not. */
bool model_tells_all(const struct setup *setup);

#endif
