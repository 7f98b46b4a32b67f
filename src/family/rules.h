/* rules.h - checks and sizes that many families share, for their `skip` and `setup`. Users' families may call
 * them too. */
#pragma once

#include "family/family.h"

/* Maximum number of blocks of a grid along x. */
#define GRID_BLOCKS_MOST INT32_MAX

/* Bytes of the widest access of a lane on any architecture. */
#define ACCESS_BYTES_MOST 32

/* Each check returns NULL if the point passes. Otherwise it writes why the point is unsupported to `reason`
 * (`size` bytes) and returns that: `if (rules_grid(...)) return reason;`. */
const char *rules_grid(uint64_t blocks, char *reason, size_t size);
const char *rules_whole_elements(int64_t bytes, enum dtype dtype, char *reason, size_t size);
const char *rules_whole_warps(int64_t block, char *reason, size_t size);

/* A vector has a power of two of elements, and no more bytes than one access moves. */
const char *rules_vector(int64_t vector, enum dtype dtype, char *reason, size_t size);

/* `what` needs code for compute capability `needed` (major * 10 + minor) or later. */
const char *rules_capability(const char *what, int needed, const struct point *point,
                             const struct target *target, char *reason, size_t size);

/* Code with instructions of tcgen05: of sm_100a, sm_103a, sm_110a, and of their families (sm_100f), which
 * lack products of `integers` (PTX ISA, "tcgen05.mma", "Target ISA Notes"). */
const char *rules_tcgen05(bool integers, const struct point *point, const struct target *target);

/* Bulk copies start at multiples of 16 bytes. `element`: bytes per element. */
const char *rules_bulk_offset(int64_t offset, size_t element, char *reason, size_t size);

/* A block has one tile, filled by `arrays` bulk copies of `bytes` bytes (bulk_tile_load in
 * kernels/bulk.cuh). */
const char *rules_bulk_tile(uint64_t arrays, uint64_t bytes, const struct point *point,
                            const struct target *target, char *reason, size_t size);

/* Dynamic shared memory of such a block in bytes: its tile and the barrier. */
uint32_t rules_bulk_shared(uint64_t arrays, uint64_t bytes);

/* The compute capability that a point's code is compiled for; 0: native on an unknown device. */
int rules_code_capability(const struct point *point, const struct target *target);

/* The cache hint of a kernel's accesses; kernels/hint.cuh implements it. */
#define AXIS_HINT                                                                                            \
    AXIS_WORDS("hint", "what accesses tell the caches: L1, and L2's order of eviction or fetch size",        \
               "default", cache_hint_words, true)
extern const char *const cache_hint_words[];

/* The devices of a point of two: itself twice (local), or two devices of the node, by ordinal. `near`
 * launches. */
#define AXIS_PAIR                                                                                            \
    AXIS_WORDS("pair", "the two devices: local (one is both ends), or ordinals, the launching one first",    \
               "local", pair_words, false)
enum { PAIR_LOCAL };
extern const char *const pair_words[];
struct devices rules_pair_devices(int64_t pair);

/* setup.sets: as many of the `wanted` sets of `bytes` as have room in `room` bytes, but at least one. `room`
 * 0: it is not known. */
uint32_t rules_sets(int64_t wanted, uint64_t bytes, uint64_t room);

/* The same in a quarter of the target's L2. */
uint32_t rules_sets_in_l2(int64_t wanted, uint64_t bytes, const struct target *target);

/* The tolerance of families that move data or count: outputs are bitwise equal to the reference. */
struct tolerance rules_exact(const struct point *point);

/* The value of setup.carveout for a value of AXIS_CARVEOUT. */
int rules_carveout(int64_t value);

/* Resident blocks per multiprocessor, limited by threads, shared memory and the block limit, but not by
 * registers; 0 if not even one fits. Unknown properties of the target are those of compute capability 9.0. */
uint64_t rules_blocks_fitting(const struct target *target, uint64_t threads, uint64_t shared);

/* The same if registers suffice for `most` threads of a multiprocessor; at least 1. */
uint64_t rules_blocks_of_threads(const struct target *target, uint64_t threads, uint64_t shared,
                                 uint64_t most);

/* The size of a grid whose blocks are all resident: at least one block per multiprocessor. */
uint64_t rules_blocks_resident(const struct target *target, uint64_t threads, uint64_t shared);

/* Multiprocessors of the target; if unknown, 132, as on H100 SXM and H200. */
uint64_t rules_multiprocessors(const struct target *target);

/* Dynamic shared memory in bytes with which a multiprocessor has room for one block only. */
uint32_t rules_shared_alone(const struct target *target);

/* The target has a multiprocessor of this number; numbers are %smid's, which count from 0 on a whole
 * device. */
const char *rules_multiprocessor(int64_t number, const struct target *target, char *reason, size_t size);

/* A footprint is made up of slots of `hop` bytes, these of lines of 128 bytes, and 31 bits number the
 * slots. */
const char *rules_slots(int64_t footprint, int64_t hop, char *reason, size_t size);

/* So many lines of 128 bytes, anywhere in memory, stay in L2: in half of it, because an L2 of two halves may
 * hold a line twice. */
const char *rules_lines(uint64_t lines, const struct target *target, char *reason, size_t size);
