/* pack_bits - packs eight truth values into a byte, as for quantisation and masks. Device code: pack_bits.cu.
 *
 * `size`: bytes of the input, one per value. The output has one byte per eight values; the last is filled
 * with zero bits. */
#include "family/rules.h"

#include <stdio.h>

extern const char pack_bits_source[], pack_bits_claims[];

static const char *const variants[] = {"cub", "ballot", "wide", NULL};
enum variant { CUB, BALLOT, WIDE };
static const char *const orders[] = {"little", "big", NULL};
enum order { LITTLE, BIG };

enum { VARIANT, SIZE, ORDER, BLOCK, ITEMS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "wide"),
    [SIZE] = AXIS_SIZE("256MiB"),
    [ORDER] = AXIS_WORDS("order", "bit of a byte that the first of eight values goes to: lowest or highest",
                         "little", orders, true),
    [BLOCK] = AXIS_BLOCK("256"),
    [ITEMS] = AXIS_NUMBER("items", "accesses", "accesses per thread", "4", 1, 32, true),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

/* Values that a thread reads in one go. */
static uint64_t values_of(const struct point *point)
{
    static const uint64_t values[] = {[CUB] = 8, [BALLOT] = 1, [WIDE] = 16};
    return values[point->value[VARIANT]];
}

static uint64_t tile_of(const struct point *point)
{
    return (uint64_t)point->value[BLOCK] * (uint64_t)point->value[ITEMS] * values_of(point);
}

static uint64_t blocks_of(const struct point *point)
{
    return ((uint64_t)point->value[SIZE] + tile_of(point) - 1) / tile_of(point);
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    if (rules_whole_warps(point->value[BLOCK], reason, size))
        return reason;
    return rules_grid(blocks_of(point), reason, size);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill truths = {.kind = FILL_BELOW, .modulus = 2};
    uint64_t count = (uint64_t)point->value[SIZE];
    (void)target;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "pack_bits",
        .buffer = {buffer_input("values", DTYPE_U8, count, truths),
                   buffer_output("bits", DTYPE_U8, (count + 7) / 8)},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_U64, count}},
        .arguments = 3,
        .grid = {(uint32_t)blocks_of(point), 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .carveout = -1,
    };
}

static struct work work(const struct point *point)
{
    uint64_t count = (uint64_t)point->value[SIZE];
    return (struct work){.bytes_read = count, .bytes_written = (count + 7) / 8};
}

enum { PORTION = 64 }; /* bytes at once */

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    uint64_t values = (uint64_t)point->value[SIZE];
    int flip = point->value[ORDER] == BIG ? 7 : 0;
    uint8_t value[PORTION * 8];
    for (uint64_t i = 0; i < count; i += PORTION) {
        uint64_t n = count - i < PORTION ? count - i : PORTION, from = (first + i) * 8;
        uint64_t there =
            values - from < n * 8 ? values - from : n * 8; /* the last byte may have fewer than eight */
        memset(value, 0, n * 8);
        inputs_load_range(inputs, 0, from, there, value);
        for (uint64_t j = 0; j < n; j++) {
            unsigned byte = 0;
            for (int bit = 0; bit < 8; bit++)
                byte |= (unsigned)value[j * 8 + (uint64_t)bit] << (bit ^ flip);
            ((uint8_t *)out)[i + j] = (uint8_t)byte;
        }
    }
}

/* ---- the access pattern ---- */

/* Of full tiles: index 0 to loads - 1: loads; then the stores. */
struct shape {
    uint64_t load_width, load_step, loads; /* bytes of one load, between lanes, and loads of a thread ... */
    uint64_t load_next;                    /* ... bytes apart; two to an item where `halves` */
    bool halves;
    uint64_t store_width, stores, store_next, store_lanes;
};

static struct shape shape_of(const struct point *point)
{
    uint64_t block = (uint64_t)point->value[BLOCK], items = (uint64_t)point->value[ITEMS];
    switch ((enum variant)point->value[VARIANT]) {
    case CUB: /* 8 bytes a lane as two accesses of 4: CUB's vectors of u8 have four at most */
        return (struct shape){4, 8, 2 * items, 8 * block, true, 1, items, block, 32};
    case BALLOT:
        return (struct shape){1, 1, items, 32, false, 4, 1, 0, items};
    case WIDE:
        return (struct shape){16, 16, items, 16 * block, false, 2, items, 2 * block, 32};
    }
    return (struct shape){0};
}

static void touch(struct access *a, uint32_t lane, uint64_t address)
{
    a->active |= 1u << lane;
    a->address[lane] = address;
}

/* cub and wide, the cut tile: `left` values from `first` on. Trip after trip each thread packs eight values,
 * byte by byte, and stores. The compiler unrolls that loop fourfold, so that the one thread with fewer than
 * eight leaves the others of its warp and loads by itself, after which they store together. */
static bool access_cut_tile(uint64_t first, uint64_t left, uint64_t block, uint64_t thread, uint32_t index,
                            struct access *a)
{
    uint64_t whole = left / 8, rest = left % 8;
    for (;; thread += block) { /* a trip; `thread` is that of lane 0, and its byte of the tile */
        uint64_t lanes = whole > thread ? whole - thread : 0, loads = lanes ? 8 : 0;
        bool with_rest = rest && whole >= thread && whole - thread < 32;
        lanes = lanes < 32 ? lanes : 32;
        if (!lanes && !with_rest)
            return false;
        uint64_t each = loads + (with_rest ? rest : 0);
        if (index > each) {
            index -= (uint32_t)each + 1;
            continue;
        }
        a->width = 1;
        a->store = index == each;
        a->buffer = a->store;
        if (index < loads || a->store)
            for (uint32_t lane = 0; lane < lanes; lane++)
                touch(a, lane, a->store ? first / 8 + thread + lane : first + 8 * (thread + lane) + index);
        if (with_rest && (a->store || index >= loads))
            touch(a, (uint32_t)(whole - thread),
                  a->store ? first / 8 + whole : first + 8 * whole + index - loads);
        return true;
    }
}

/* ballot, the last warp: `left` values from `first` on, 32 at a time, and then up to four bytes of them. */
static bool access_last_warp(uint64_t first, uint64_t left, uint32_t index, struct access *a)
{
    uint64_t done = (uint64_t)index / 2 * 32;
    if (done >= left)
        return false;
    a->width = 1;
    a->store = index % 2;
    a->buffer = a->store;
    for (uint32_t lane = 0; lane < 32 && done + lane < left && !a->store; lane++)
        touch(a, lane, first + done + lane);
    for (uint32_t lane = 0; lane < 4 && done + 8 * lane < left && a->store; lane++)
        touch(a, lane, (first + done) / 8 + lane);
    return true;
}

static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    struct shape shape = shape_of(point);
    uint64_t warps = s->block[0] / 32, block_index = warp / warps, in_block = warp % warps;
    uint64_t first = block_index * tile_of(point), end = first + tile_of(point);
    if (point->value[VARIANT] == BALLOT) { /* a warp's values lie together */
        first = warp * 32 * (uint64_t)point->value[ITEMS];
        end = first + 32 * (uint64_t)point->value[ITEMS];
        in_block = 0;
    }
    uint64_t count = (uint64_t)point->value[SIZE];
    *out = (struct access){.space = ACCESS_GLOBAL, .times = 1};
    if (first >= count)
        return false;
    if (end > count)
        return point->value[VARIANT] == BALLOT
                   ? access_last_warp(first, count - first, index, out)
                   : access_cut_tile(first, count - first, s->block[0], in_block * 32, index, out);
    if (index >= shape.loads + shape.stores)
        return false;
    bool store = index >= shape.loads;
    uint64_t nth = store ? index - shape.loads : index, width = store ? shape.store_width : shape.load_width;
    uint64_t step = store ? width : shape.load_step, lanes = store ? shape.store_lanes : 32;
    uint64_t base =
        shape.halves ? first + nth / 2 * shape.load_next + nth % 2 * width : first + nth * shape.load_next;
    if (store)
        base = first / 8 + nth * shape.store_next;
    out->store = store;
    out->buffer = store;
    out->width = (uint32_t)width;
    for (uint32_t lane = 0; lane < lanes; lane++)
        touch(out, lane, base + (in_block * 32 + lane) * step);
    return true;
}

const struct family family_pack_bits = {
    .space = {.kernel = "pack_bits", .axes = axes, .count = AXES},
    .summary = "eight truth values to a byte: by CUB, by the warp's vote, and by wide accesses",
    .data_axes = FAMILY_AXIS(SIZE) | FAMILY_AXIS(ORDER),
    .source = pack_bits_source,
    .claims = pack_bits_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .access = access_of,
};
