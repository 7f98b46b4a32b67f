/* model.h - predicted values of the hardware counters of a point.
 *
 * Names and units are those of the counter columns (core/metric.h). NaN: unknown. */
#pragma once

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
    X(atomic_requests)                                                                                       \
    X(atomic_sectors)                                                                                        \
    X(reduction_requests)                                                                                    \
    X(reduction_sectors)                                                                                     \
    X(shared_atomic_requests)                                                                                \
    X(cluster_load_requests)                                                                                 \
    X(cluster_load_sectors)                                                                                  \
    X(cluster_store_requests)                                                                                \
    X(cluster_store_sectors)                                                                                 \
    X(dram_bytes_read)                                                                                       \
    X(dram_bytes_written)                                                                                    \
    X(l1_wavefronts)                                                                                         \
    X(rounds)                                                                                                \
    X(turns)                                                                                                 \
    X(moved_read)                                                                                            \
    X(stored_lines)                                                                                          \
    X(scattered_read)                                                                                        \
    X(scattered_write)

/* The columns predicted_NAME: counters, then what the time model asks for besides. core/result.h says what
 * each is. */
struct prediction {
#define X(name) double name;
    PREDICTIONS(X)
#undef X
    double dirty_left; /* share of L2's lines that the launch leaves dirty; NaN: unknown */
};

/* Predict a supported point (family_skip). False, and all NaN, if the family has no access function or the
 * point does not run the family's kernel. If addresses are
 * random, it sets l1_wavefronts only, to those of shared memory too, and returns false. If all accesses that
 * are described are to other blocks of a cluster, it sets cluster_... only, and returns false.
 *
 * Sampling. Small grids are evaluated in full. Otherwise the first block, the last two blocks, and windows of
 * neighbouring blocks at the start, in the middle and at the end are evaluated, and stand for the blocks
 * between them. This is exact for patterns that repeat within a window, such as all even strides. If the
 * blocks differ (tiles of a matrix with cut edges), all are evaluated, up to some 250,000 accesses. Beyond
 * that a period is looked for, which is exact too. Without a period, 512 blocks stand for all, with an error
 * of some tenths of a percent. Loops of a warp are cut short in the same way.
 *
 * Shared memory. NaN if the family describes no access to it.
 *
 * Atomics. NaN if the family describes none. Those that return no value are reductions in global memory; in
 * shared memory they are atomics, too. Sectors are the distinct ones of a request, as of a store. DRAM is not
 * predicted if any are in global memory.
 *
 * Other blocks of a cluster. NaN if the family describes no access to them. Requests and sectors of loads and
 * stores; atomics cannot be described. Wavefronts are not predicted.
 *
 * DRAM. Predicted for points with a cold L2. Loads fetch pairs of sectors, or what the larger one of a limit
 * (l2.fetch) and a qualifier (AXIS_HINT) says; fetches of 256 bytes are known only if both of their lines are
 * loaded. Stores write single sectors, which are read first if they are written in part. Data used several
 * times by neighbouring blocks move once. Data used again much later move once, too, if their buffer takes at
 * most half of L2 or all buffers fit into L2; otherwise there is no prediction. Bulk copies, asynchronous
 * copies and textures are not counted as accesses; their bytes are taken from the family's `work`. When the
 * kernel ends, the last data it moved are still in L2, and dirty lines of them are not written yet. Instead,
 * lines that were in L2 before have been evicted, and the share `dirty` of them was written. If `dirty` is
 * NaN, that share is the one that the launch itself leaves, as previous launches on other buffers did; the
 * launch then writes as much as it stores. */
bool model_predict(const struct point *point, const struct setup *setup, const struct target *target,
                   double dirty, struct prediction *prediction);

/* Does the access function cover all reads? It does not cover constant memory and textures. */
bool model_is_complete(const struct setup *setup);
