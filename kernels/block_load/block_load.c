/* block_load - CUB's algorithms to load and store a tile, and two handwritten ones. Device code:
 * block_load.cu.
 *
 * `size`: bytes of each array. Elements of the input from `offset` on are stored to the start of the
 * output. */
#include "family/rules.h"

#include <stdio.h>

extern const char block_load_source[], block_load_claims[];

static const char *const variants[] = {"direct",    "striped",        "vectorize",
                                       "transpose", "warp_transpose", "warp_transpose_timesliced",
                                       "manual",    "wide",           NULL};
enum variant {
    DIRECT,
    STRIPED,
    VECTORIZE,
    TRANSPOSE,
    WARP_TRANSPOSE,
    WARP_TRANSPOSE_TIMESLICED,
    MANUAL,
    WIDE
};

enum { VARIANT, SIZE, DTYPE, OFFSET, BLOCK, ITEMS, CARVEOUT, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "transpose"),
    [SIZE] = AXIS_SIZE("256MiB"),
    [DTYPE] = AXIS_DTYPE("f32"),
    [OFFSET] = AXIS_OFFSET("0"),
    [BLOCK] = AXIS_NUMBER("block", "threads", "threads per block", "128", 64, 512, true),
    [ITEMS] = AXIS_NUMBER("items", "elements", "elements per thread", "4", 1, 16, true),
    [CARVEOUT] = AXIS_CARVEOUT("default"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

#define STATIC_SHARED_MAX (48 << 10)

static uint64_t element_size(const struct point *point)
{
    return dtype_size((enum dtype)point->value[DTYPE]);
}

/* Elements per tile. */
static uint64_t tile_of(const struct point *point)
{
    return (uint64_t)point->value[BLOCK] * (uint64_t)point->value[ITEMS];
}

/* Elements to move. */
static uint64_t moved(const struct point *point)
{
    uint64_t count = (uint64_t)point->value[SIZE] / element_size(point);
    uint64_t offset = (uint64_t)point->value[OFFSET];
    return count > offset ? count - offset : 0;
}

static uint64_t blocks_of(const struct point *point)
{
    return (moved(point) + tile_of(point) - 1) / tile_of(point);
}

/* Bytes of shared memory for a whole tile. CUB pads it by an element in 32 when ITEMS is a power of two over
 * 4, and keeps a count beside it, in 16 bytes. */
static uint64_t shared_bytes(const struct point *point)
{
    int64_t variant = point->value[VARIANT], items = point->value[ITEMS];
    uint64_t tile = tile_of(point);
    if (variant == MANUAL)
        return tile * element_size(point);
    if (variant != TRANSPOSE && variant != WARP_TRANSPOSE)
        return 0;
    if (items > 4 && !(items & (items - 1)))
        tile += tile / 32;
    return tile * element_size(point) + 16;
}

/* wide: bytes of an access, of which a thread's elements take one or more. */
static uint64_t wide_bytes(const struct point *point)
{
    uint64_t bytes = (uint64_t)point->value[ITEMS] * element_size(point);
    return bytes < 32 ? bytes : 32;
}

static const char *skip_wide(const struct point *point, char *reason, size_t size)
{
    uint64_t width = wide_bytes(point), bytes = (uint64_t)point->value[ITEMS] * element_size(point);
    if ((width & (width - 1)) || bytes % width)
        snprintf(reason, size,
                 "%d elements are %d bytes, and those no whole accesses of a power of two of bytes",
                 (int)point->value[ITEMS], (int)bytes);
    else if ((uint64_t)point->value[OFFSET] * element_size(point) % width)
        snprintf(reason, size, "an offset of %d elements misaligns accesses of %d bytes",
                 (int)point->value[OFFSET], (int)width);
    else
        return NULL;
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    if (rules_whole_elements(point->value[SIZE], (enum dtype)point->value[DTYPE], reason, size))
        return reason;
    if (!moved(point))
        return "the array ends before that offset";
    if (rules_whole_warps(point->value[BLOCK], reason, size) || rules_grid(blocks_of(point), reason, size))
        return reason;
    if (point->value[VARIANT] == WIDE)
        return skip_wide(point, reason, size);
    if (shared_bytes(point) <= STATIC_SHARED_MAX)
        return NULL;
    snprintf(reason, size, "its tile takes %llu bytes of static shared memory, of which there are %d",
             (unsigned long long)shared_bytes(point), STATIC_SHARED_MAX);
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t count = (uint64_t)point->value[SIZE] / element_size(point);
    (void)target;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "block_load",
        .buffer = {buffer_input("in", dtype, count, random), buffer_output("out", dtype, moved(point))},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_U64, moved(point)},
                     {ARGUMENT_U64, (uint64_t)point->value[OFFSET]}},
        .arguments = 4,
        .grid = {(uint32_t)blocks_of(point), 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .carveout = rules_carveout(point->value[CARVEOUT]),
    };
}

static struct work work(const struct point *point)
{
    uint64_t bytes = moved(point) * element_size(point);
    return (struct work){.bytes_read = bytes, .bytes_written = bytes};
}

/* The input element that the reversal moves to output element i. */
static uint64_t source_of(const struct point *point, uint64_t i)
{
    uint64_t tile = tile_of(point), items = (uint64_t)point->value[ITEMS], at = i % tile;
    if (point->value[VARIANT] == STRIPED) {
        uint64_t block = (uint64_t)point->value[BLOCK];
        return i - at + (items - 1 - at / block) * block + at % block;
    }
    return i - at % items + items - 1 - at % items;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    uint64_t size = element_size(point), end = moved(point), offset = (uint64_t)point->value[OFFSET];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t from = source_of(point, first + i);
        if (from < end)
            inputs_load(inputs, 0, from + offset, (char *)out + i * size);
        else
            memset((char *)out + i * size, 0, size); /* from past the end of the input */
    }
}

/* ---- the access pattern ----
 *
 * Only for direct and striped, which use no shared memory, and for the handwritten manual and wide: CUB's
 * accesses to shared memory are not documented. A partial tile is processed element by element, with a check
 * for each. */

/* A phase of the kernel: one instruction per item of a thread. */
struct phase {
    bool shared, store, blocked; /* blocked: lanes are ITEMS elements apart */
};

/* Lane addresses of item `i` in a phase; false if no lane is active. */
static bool fill_access(const struct point *point, const struct phase *phase, uint64_t first, uint64_t thread,
                        uint64_t i, struct access *out)
{
    uint64_t size = element_size(point), items = (uint64_t)point->value[ITEMS];
    uint64_t shift = phase->shared || phase->store ? 0 : (uint64_t)point->value[OFFSET];
    *out = (struct access){.space = phase->shared ? ACCESS_SHARED : ACCESS_GLOBAL,
                           .store = phase->store,
                           .buffer = !phase->shared && phase->store,
                           .width = (uint32_t)size,
                           .times = 1};
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint64_t at =
            phase->blocked ? (thread + lane) * items + i : i * (uint64_t)point->value[BLOCK] + thread + lane;
        if (!phase->shared && first + at >= moved(point))
            continue;
        out->active |= 1u << lane;
        out->address[lane] = (phase->shared ? at : first + at + shift) * size;
    }
    return out->active != 0;
}

/* wide, a full tile: whole accesses, `part` of a thread's. */
static bool fill_wide(const struct point *point, uint64_t first, uint64_t thread, uint32_t index,
                      struct access *out)
{
    uint64_t size = element_size(point), width = wide_bytes(point),
             each = (uint64_t)point->value[ITEMS] * size;
    uint64_t parts = each / width, part = index % parts;
    bool store = index >= parts;
    uint64_t start = (first + (store ? 0 : (uint64_t)point->value[OFFSET])) * size;
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .store = store,
                           .buffer = store,
                           .width = (uint32_t)width,
                           .active = UINT32_MAX,
                           .times = 1};
    for (uint32_t lane = 0; lane < 32; lane++)
        out->address[lane] = start + (thread + lane) * each + part * width;
    return index < 2 * parts;
}

static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    static const struct phase direct[] = {{false, false, true}, {false, true, true}};
    static const struct phase striped[] = {{false, false, false}, {false, true, false}};
    static const struct phase manual[] = {{false, false, false}, {true, true, false},  {true, false, true},
                                          {true, true, true},    {true, false, false}, {false, true, false}};
    int64_t variant = point->value[VARIANT];
    const struct phase *phases = variant == STRIPED ? striped : direct;
    if (variant == MANUAL)
        phases = manual;
    uint64_t items = (uint64_t)point->value[ITEMS], steps = (variant == MANUAL ? 6 : 2) * items;
    uint64_t warps = s->block[0] / 32, first = warp / warps * tile_of(point), thread = warp % warps * 32;
    if ((variant != DIRECT && variant != STRIPED && variant != MANUAL && variant != WIDE) ||
        first >= moved(point))
        return false;
    if (variant == WIDE && moved(point) - first >= tile_of(point))
        return fill_wide(point, first, thread, index, out);
    if (moved(point) - first >= tile_of(point)) /* a full tile: all lanes are active */
        return index < steps && fill_access(point, &phases[index / items], first, thread, index % items, out);
    for (uint64_t step = 0, nth = 0; step < steps; step++) /* skip steps without active lanes */
        if (fill_access(point, &phases[step / items], first, thread, step % items, out) && nth++ == index)
            return true;
    return false;
}

const struct family family_block_load = {
    .space = {.kernel = "block_load", .axes = axes, .count = AXES},
    .summary = "a tile per block by CUB's BlockLoad and BlockStore, and by hand: which algorithm pays, where",
    .data_axes = FAMILY_AXIS(VARIANT) | FAMILY_AXIS(SIZE) | FAMILY_AXIS(DTYPE) | FAMILY_AXIS(OFFSET) |
                 FAMILY_AXIS(BLOCK) | FAMILY_AXIS(ITEMS),
    .source = block_load_source,
    .claims = block_load_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .access = access_of,
};
