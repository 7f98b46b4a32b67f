#include "family/rules.h"

#include <stdio.h>

/* Assumed of an unknown device: compute capability 9.0 with 132 multiprocessors. */
enum { THREADS_ASSUMED = 2048, SHARED_ASSUMED = 228 << 10, MULTIPROCESSORS_ASSUMED = 132 };

enum {
    BLOCK_SHARED_MAX = 227 << 10, /* shared memory of a block on 9.0 and 10.0; no device has more */
    BARRIER_BYTES = 8,
    SHARED_RESERVED = 1024, /* that the system uses in each block, from capability 8.0 on; bytes */
    LINE_BYTES = 128,
    BULK_STEP = 16, /* size and alignment of a bulk copy are multiples of this; bytes */
    WARP = 32,
};

const char *const cache_hint_words[] = {"default",  "stream",    "no_allocate", "evict_first", "evict_last",
                                        "fetch_64", "fetch_128", "fetch_256",   NULL};

#define PAIRS_OF(i, a, b, c, d, e, f, g)                                                                     \
#i "-" #a, #i "-" #b, #i "-" #c, #i "-" #d, #i "-" #e, #i "-" #f, #i "-" #g
const char *const pair_words[] = {"local",
                                  PAIRS_OF(0, 1, 2, 3, 4, 5, 6, 7),
                                  PAIRS_OF(1, 0, 2, 3, 4, 5, 6, 7),
                                  PAIRS_OF(2, 0, 1, 3, 4, 5, 6, 7),
                                  PAIRS_OF(3, 0, 1, 2, 4, 5, 6, 7),
                                  PAIRS_OF(4, 0, 1, 2, 3, 5, 6, 7),
                                  PAIRS_OF(5, 0, 1, 2, 3, 4, 6, 7),
                                  PAIRS_OF(6, 0, 1, 2, 3, 4, 5, 7),
                                  PAIRS_OF(7, 0, 1, 2, 3, 4, 5, 6),
                                  NULL};

struct devices rules_pair_devices(int64_t pair)
{
    const char *word = pair_words[pair];
    return pair == PAIR_LOCAL ? (struct devices){.count = 0}
                              : (struct devices){.count = 2, .ordinal = {word[0] - '0', word[2] - '0'}};
}

struct tolerance rules_exact(const struct point *point)
{
    (void)point;
    return (struct tolerance){0};
}

const char *rules_grid(uint64_t blocks, char *reason, size_t size)
{
    if (blocks <= GRID_BLOCKS_MOST)
        return NULL;
    snprintf(reason, size, "%llu blocks are more than a grid has, 2^31 - 1", (unsigned long long)blocks);
    return reason;
}

const char *rules_whole_elements(int64_t bytes, enum dtype dtype, char *reason, size_t size)
{
    if (bytes % (int64_t)dtype_size(dtype) == 0)
        return NULL;
    snprintf(reason, size, "%lld bytes are no whole number of %s elements", (long long)bytes,
             dtype_words[dtype]);
    return reason;
}

const char *rules_whole_warps(int64_t block, char *reason, size_t size)
{
    if (block % WARP == 0)
        return NULL;
    snprintf(reason, size, "a block of %d threads is no whole number of warps", (int)block);
    return reason;
}

const char *rules_vector(int64_t vector, enum dtype dtype, char *reason, size_t size)
{
    int64_t width = vector * (int64_t)dtype_size(dtype);
    if (vector & (vector - 1))
        snprintf(reason, size, "a vector of %d elements is no power of two", (int)vector);
    else if (width > ACCESS_BYTES_MOST)
        snprintf(reason, size, "a vector of %d bytes is wider than %d bytes, the widest access", (int)width,
                 ACCESS_BYTES_MOST);
    else
        return NULL;
    return reason;
}

const char *rules_capability(const char *what, int needed, const struct point *point,
                             const struct target *target, char *reason, size_t size)
{
    int capability = rules_code_capability(point, target);
    if (!capability || capability >= needed)
        return NULL;
    snprintf(reason, size, "%s needs compute capability %d.%d; this is %d.%d", what, needed / 10, needed % 10,
             capability / 10, capability % 10);
    return reason;
}

const char *rules_tcgen05(bool integers, const struct point *point, const struct target *target)
{
    const arch wanted = (arch)point_value(point, "arch", ARCH_NATIVE);
    const int capability = rules_code_capability(point, target);
    const bool has = capability == 100 || capability == 103 || capability == 110;
    if (capability && (!has || arch_is_virtual(wanted) || (wanted != ARCH_NATIVE && wanted % 10 == 0)))
        return "tcgen05 is of sm_100a, sm_103a, sm_110a and their families";
    if (integers && (capability == 103 || wanted % 10 == 2))
        return "tcgen05 of integers is of sm_100a and sm_110a: sm_103a and the families have none";
    return NULL;
}

const char *rules_bulk_offset(int64_t offset, size_t element, char *reason, size_t size)
{
    if ((uint64_t)offset * element % BULK_STEP == 0)
        return NULL;
    snprintf(reason, size,
             "an offset of %d elements misaligns bulk copies, which start at multiples of 16 bytes",
             (int)offset);
    return reason;
}

const char *rules_bulk_tile(uint64_t arrays, uint64_t bytes, const struct point *point,
                            const struct target *target, char *reason, size_t size)
{
    uint64_t most = target->shared_bytes ? target->shared_bytes : BLOCK_SHARED_MAX;
    if (bytes % BULK_STEP)
        snprintf(reason, size,
                 "a block's part of %llu bytes is no whole number of 16 bytes, as bulk copies need",
                 (unsigned long long)bytes);
    else if (rules_bulk_shared(arrays, bytes) > most)
        snprintf(reason, size,
                 "a block's tile of %llu bytes is more shared memory than a block has, %llu bytes less 8 for "
                 "its barrier",
                 (unsigned long long)(arrays * bytes), (unsigned long long)most);
    else
        return rules_capability("a bulk load", 90, point, target, reason, size);
    return reason;
}

uint32_t rules_bulk_shared(uint64_t arrays, uint64_t bytes)
{
    return (uint32_t)(arrays * bytes) + BARRIER_BYTES;
}

int rules_code_capability(const struct point *point, const struct target *target)
{
    arch wanted = (arch)point_value(point, "arch", ARCH_NATIVE);
    return wanted == ARCH_NATIVE ? target->capability : arch_capability(wanted);
}

int rules_carveout(int64_t value)
{
    return value ? 25 * ((int)value - 1) : -1; /* carveout_words: default, 0, 25 ... */
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Resident blocks of a multiprocessor (CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability"). */
static int blocks_max(int capability)
{
    switch (capability) {
    case 86:
    case 87:
        return 16;
    case 89:
    case 110:
    case 120:
    case 121:
        return 24;
    default:
        return 32;
    }
}

uint64_t rules_blocks_fitting(const struct target *target, uint64_t threads, uint64_t shared)
{
    uint64_t room = target->shared_sm_bytes ? target->shared_sm_bytes : SHARED_ASSUMED;
    uint64_t most = target->threads_sm > 0 ? (uint64_t)target->threads_sm : THREADS_ASSUMED;
    uint64_t blocks = least_of(room / (shared + SHARED_RESERVED), (uint64_t)blocks_max(target->capability));
    return least_of(blocks, most / threads);
}

uint64_t rules_multiprocessors(const struct target *target)
{
    return target->multiprocessors > 0 ? (uint64_t)target->multiprocessors : MULTIPROCESSORS_ASSUMED;
}

uint64_t rules_blocks_of_threads(const struct target *target, uint64_t threads, uint64_t shared,
                                 uint64_t most)
{
    uint64_t each = least_of(rules_blocks_fitting(target, threads, shared), most / threads);
    return each ? each : 1;
}

uint64_t rules_blocks_resident(const struct target *target, uint64_t threads, uint64_t shared)
{
    uint64_t each = rules_blocks_fitting(target, threads, shared);
    return (each ? each : 1) * rules_multiprocessors(target);
}

uint32_t rules_shared_alone(const struct target *target)
{
    /* More than half, with what the system takes of it for each block. */
    return (uint32_t)(target->shared_sm_bytes ? target->shared_sm_bytes : SHARED_ASSUMED) / 2;
}

const char *rules_multiprocessor(int64_t number, const struct target *target, char *reason, size_t size)
{
    if (target->multiprocessors <= 0 || number < target->multiprocessors)
        return NULL;
    snprintf(reason, size, "there is no multiprocessor %d: the device has %d", (int)number,
             target->multiprocessors);
    return reason;
}

const char *rules_slots(int64_t footprint, int64_t hop, char *reason, size_t size)
{
    if (hop % LINE_BYTES)
        snprintf(reason, size, "slots of %lld bytes are no whole number of lines of %d", (long long)hop,
                 LINE_BYTES);
    else if (footprint < hop || footprint % hop)
        snprintf(reason, size, "a footprint of %lld bytes is no whole number of slots of %lld",
                 (long long)footprint, (long long)hop);
    else if (footprint / hop > INT32_MAX)
        snprintf(reason, size, "slots are numbered with 31 bits");
    else
        return NULL;
    return reason;
}

const char *rules_lines(uint64_t lines, const struct target *target, char *reason, size_t size)
{
    uint64_t most = target->l2_bytes / LINE_BYTES / 2;
    if (!target->l2_bytes || lines <= most)
        return NULL;
    snprintf(reason, size, "%llu lines are more than stay in L2: half of it has %llu",
             (unsigned long long)lines, (unsigned long long)most);
    return reason;
}

uint32_t rules_sets(int64_t wanted, uint64_t bytes, uint64_t room)
{
    uint64_t most = room && bytes ? room / bytes : (uint64_t)wanted;
    if ((uint64_t)wanted < most)
        return (uint32_t)wanted;
    return most ? (uint32_t)most : 1;
}

uint32_t rules_sets_in_l2(int64_t wanted, uint64_t bytes, const struct target *target)
{
    return rules_sets(wanted, bytes, target->l2_bytes / 4);
}
