/* rules.h - the rules that many families keep, written once: for a family's `skip` and `setup`. Families of
 * users may call them too. */
#ifndef FAMILY_RULES_H
#define FAMILY_RULES_H

#include "family/family.h"

/* Blocks in a grid, along x, at most. */
#define GRID_BLOCKS_MOST INT32_MAX

/* The widest access of one lane, on any architecture. */
#define ACCESS_BYTES_MOST 32

/* Each of these tells why a point cannot exist, written into `reason` (size `size`), or NULL where the rule
 * is kept: `if (rules_grid(...)) return reason;`. */
const char *rules_grid(uint64_t blocks, char *reason, size_t size);
const char *rules_whole_elements(int64_t bytes, enum dtype dtype, char *reason, size_t size);
const char *rules_whole_warps(int64_t block, char *reason, size_t size);

/* A vector is a power of two of elements, and one access. */
const char *rules_vector(int64_t vector, enum dtype dtype, char *reason, size_t size);

/* `what` needs code for that capability (major * 10 + minor) or a later one. */
const char *rules_capability(const char *what, int needed, const struct point *point,
                             const struct target *target, char *reason, size_t size);

/* Where in an array a bulk copy can start: at multiples of 16 bytes. `element`: bytes. */
const char *rules_bulk_offset(int64_t offset, size_t element, char *reason, size_t size);

/* Blocks of one tile each, which `arrays` bulk copies of `bytes` bytes fill (kernels/bulk.cuh: bulk_tile_load). */
const char *rules_bulk_tile(uint64_t arrays, uint64_t bytes, const struct point *point,
                            const struct target *target, char *reason, size_t size);

/* Dynamic shared memory of such a block: its tile and the barrier. */
uint32_t rules_bulk_shared(uint64_t arrays, uint64_t bytes);

/* The capability that a point's code is compiled for; 0: native to a device that is not known. */
int rules_code_capability(const struct point *point, const struct target *target);

/* What the accesses of a kernel tell the caches: kernels/hint.cuh. */
#define AXIS_HINT                                                                                            \
    AXIS_WORDS("hint", "what accesses tell the caches: L1, and L2's order of eviction or fetch size",        \
               "default", cache_hint_words, true)
extern const char *const cache_hint_words[];

/* setup.carveout for a value of AXIS_CARVEOUT. */
int rules_carveout(int64_t value);

/* Blocks of so many threads and bytes of shared memory that one multiprocessor holds at once, as far as
 * threads, shared memory and the number of blocks decide: 0 when not even one fits. What is not known of the
 * target is as on compute capability 9.0. */
uint64_t rules_blocks_fitting(const struct target *target, uint64_t threads, uint64_t shared);

/* The same for all multiprocessors together, at least one each: a grid whose blocks are all resident. */
uint64_t rules_blocks_resident(const struct target *target, uint64_t threads, uint64_t shared);

/* Multiprocessors of the target; where it is not known, those of an H100 SXM or H200. */
uint64_t rules_multiprocessors(const struct target *target);

#endif
