/* lookup - reads of a small table: aliasing, and paths to the table. Device code: lookup.cu.
 *
 * `size`: bytes of the results. There are as many indices as results. */
#include "family/rules.h"

#include <stdio.h>

extern const char lookup_source[], lookup_claims[];

static const char *const variants[] = {"plain",   "restrict", "ldg",       "constant",
                                       "texture", "shared",   "texture2d", NULL};
enum variant { PLAIN, RESTRICT, LDG, CONSTANT, TEXTURE, SHARED, TEXTURE_2D };
static const char *const index_words[] = {"modulo", "uniform", "random", "column", NULL};
enum pattern { MODULO, UNIFORM, RANDOM, COLUMN };
static const char *const indices_words[] = {"array", "computed", NULL};
enum indices { FROM_ARRAY, COMPUTED };

#define CONSTANT_BYTES 65536       /* all of constant memory that a program declares itself */
#define ELEMENT_BYTES  UINT64_C(4) /* both dtypes, and the indices */

enum { VARIANT, SIZE, TABLE, DTYPE, INDEX, INDICES, LOOKUPS, BLOCK, ITEMS, CARVEOUT, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "plain"),
    [SIZE] = AXIS_SIZE("256MiB"),
    [TABLE] = {.name = "table",
               .kind = AXIS_BYTES,
               .unit = "bytes",
               .summary = "bytes of the table",
               .standard = "4KiB",
               .least = 4,
               .most = 64 << 20},
    [DTYPE] = AXIS_DTYPE("f32"),
    [INDEX] = AXIS_WORDS(
        "index",
        "which entries neighbouring threads read: one after the other, one, any, or those of a column",
        "modulo", index_words, false),
    [INDICES] = AXIS_WORDS("indices", "where indices are from: an array, or the element's own number",
                           "array", indices_words, true),
    [LOOKUPS] = AXIS_NUMBER("lookups", "entries", "entries summed for each element", "1", 1, 64, true),
    [BLOCK] = AXIS_BLOCK("256"),
    [ITEMS] = AXIS_ITEMS("4"),
    [CARVEOUT] = AXIS_CARVEOUT("default"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};
enum { BUFFER_INDEX, BUFFER_TABLE, BUFFER_OUT };

static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / ELEMENT_BYTES;
}

static uint64_t entries_of(const struct point *point)
{
    return (uint64_t)point->value[TABLE] / ELEMENT_BYTES;
}

/* The table in rows, for texture2d and column: as many columns as rows, or half as many. */
static uint32_t columns_log2(const struct point *point)
{
    uint32_t log2 = 0;
    while (entries_of(point) >> 2 * (log2 + 1))
        log2++;
    return log2;
}
static uint64_t columns_of(const struct point *point)
{
    return UINT64_C(1) << columns_log2(point);
}

/* Element i looks up entry i modulo the entries, and no index is read. */
static bool computed(const struct point *point)
{
    return point->value[INDICES] == COMPUTED;
}

static uint64_t tile_of(const struct point *point)
{
    return (uint64_t)(point->value[BLOCK] * point->value[ITEMS]);
}

static uint64_t covering_blocks(const struct point *point)
{
    return (elements(point) + tile_of(point) - 1) / tile_of(point);
}

/* Blocks that are resident at once, each with its copy of the table: more would only stage it again. */
static uint64_t resident_blocks(const struct point *point, const struct target *target)
{
    return rules_blocks_resident(target, (uint64_t)point->value[BLOCK], (uint64_t)point->value[TABLE]);
}

static bool is_rectangle(const struct point *point)
{
    return entries_of(point) >= 4 && entries_of(point) % columns_of(point) == 0;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    long long table = (long long)point->value[TABLE];
    int64_t variant = point->value[VARIANT];
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    if (dtype != DTYPE_F32 && dtype != DTYPE_I32)
        snprintf(reason, size, "lookup tables hold f32 or i32, not %s", dtype_words[dtype]);
    else if (rules_whole_elements(point->value[SIZE], dtype, reason, size))
        return reason;
    else if ((uint64_t)table % ELEMENT_BYTES)
        snprintf(reason, size, "a table of %lld bytes is no whole number of %s entries", table,
                 dtype_words[dtype]);
    else if (computed(point) && point->value[INDEX] != MODULO)
        snprintf(reason, size, "computed indices are the element's number modulo the entries, not %s",
                 index_words[point->value[INDEX]]);
    else if (computed(point) && (entries_of(point) & (entries_of(point) - 1)))
        snprintf(reason, size, "computed indices need a power of two of entries, not %llu",
                 (unsigned long long)entries_of(point));
    else if ((variant == TEXTURE_2D || point->value[INDEX] == COLUMN) && !is_rectangle(point))
        snprintf(reason, size,
                 "a table of two dimensions has 4 entries or more, in whole rows of %llu, not %llu",
                 (unsigned long long)columns_of(point), (unsigned long long)entries_of(point));
    else if (target->host && variant > RESTRICT)
        snprintf(reason, size, "%s is a path of the GPU's; the host back end has plain and restrict",
                 variants[variant]);
    else if (variant == CONSTANT && table > CONSTANT_BYTES)
        snprintf(reason, size, "a table of %lld bytes does not fit into constant memory, %d bytes", table,
                 CONSTANT_BYTES);
    else if (variant == SHARED && target->shared_bytes && (uint64_t)table > target->shared_bytes)
        snprintf(reason, size, "a table of %lld bytes does not fit into a block's shared memory, %llu bytes",
                 table, (unsigned long long)target->shared_bytes);
    else
        return rules_grid(covering_blocks(point), reason, size);
    return reason;
}

static struct fill fill_of(const struct point *point)
{
    uint64_t entries = entries_of(point);
    switch ((enum pattern)point->value[INDEX]) {
    case MODULO:
        return (struct fill){.kind = FILL_INDEX, .multiplier = 1, .modulus = entries};
    case UNIFORM:
        return (struct fill){.kind = FILL_INDEX, .addend = entries / 2, .modulus = entries};
    case COLUMN: /* a matrix in the order of its transpose: all entries but the last */
        return (struct fill){.kind = FILL_INDEX, .multiplier = columns_of(point), .modulus = entries - 1};
    case RANDOM:
        break;
    }
    return (struct fill){.kind = FILL_BELOW, .modulus = entries};
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    bool shared = point->value[VARIANT] == SHARED, constant = point->value[VARIANT] == CONSTANT;
    struct argument table = {ARGUMENT_BUFFER, BUFFER_TABLE};
    if (point->value[VARIANT] == TEXTURE)
        table.kind = ARGUMENT_TEXTURE;
    if (point->value[VARIANT] == TEXTURE_2D)
        table = (struct argument){ARGUMENT_TEXTURE_2D, TEXTURE_ROWS(BUFFER_TABLE, columns_of(point))};
    uint64_t n = elements(point), blocks = covering_blocks(point);
    if (shared && blocks > resident_blocks(point, target))
        blocks = resident_blocks(point, target);
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "lookup",
        .buffer = {[BUFFER_INDEX] = buffer_input("index", DTYPE_I32, computed(point) ? 1 : n, fill_of(point)),
                   [BUFFER_TABLE] = buffer_input("table", dtype, entries_of(point), random),
                   [BUFFER_OUT] = buffer_output("out", dtype, n)},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, BUFFER_INDEX},
                     table,
                     {ARGUMENT_BUFFER, BUFFER_OUT},
                     {ARGUMENT_U64, n},
                     {ARGUMENT_U32, entries_of(point)}},
        .arguments = 5,
        .grid = {(uint32_t)blocks, 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .shared_dynamic = shared ? (uint32_t)point->value[TABLE] : 0,
        .carveout = rules_carveout(point->value[CARVEOUT]),
        .constant = constant ? "lookup_table" : NULL,
        .constant_buffer = constant ? BUFFER_TABLE : 0,
    };
}

/* Every index and every result once, and the table once: what is read again comes from a cache. */
static struct work work(const struct point *point)
{
    uint64_t bytes = elements(point) * ELEMENT_BYTES, more = (uint64_t)point->value[LOOKUPS] - 1;
    return (struct work){.bytes_read = (computed(point) ? 0 : bytes) + (uint64_t)point->value[TABLE],
                         .bytes_written = bytes,
                         .flops = point->value[DTYPE] == DTYPE_F32 ? elements(point) * more : 0};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    bool real = point->value[DTYPE] == DTYPE_F32;
    uint32_t entries = (uint32_t)entries_of(point);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t at, bits, whole;
        float sum, value;
        if (computed(point))
            at = (uint32_t)((first + i) % entries);
        else
            inputs_load(inputs, BUFFER_INDEX, first + i, &at);
        inputs_load(inputs, BUFFER_TABLE, at, &whole);
        memcpy(&sum, &whole, sizeof sum);
        for (int64_t more = 1; more < point->value[LOOKUPS]; more++) {
            at = at + 1 == entries ? 0 : at + 1;
            inputs_load(inputs, BUFFER_TABLE, at, &bits);
            memcpy(&value, &bits, sizeof value);
            if (real)
                sum += value;
            else
                whole += bits;
        }
        if (real)
            memcpy(&whole, &sum, sizeof whole);
        memcpy((char *)out + i * ELEMENT_BYTES, &whole, sizeof whole);
    }
}

/* Step `index` of staging the table: a load and a store of one entry per lane. */
static void stage_access(const struct point *point, uint32_t block, uint32_t lane0, uint32_t index,
                         struct access *out)
{
    bool store = index % 2;
    *out = (struct access){.space = store ? ACCESS_SHARED : ACCESS_GLOBAL,
                           .store = store,
                           .buffer = BUFFER_TABLE,
                           .width = ELEMENT_BYTES,
                           .times = 1};
    for (uint32_t lane = 0; lane < 32 && lane0 + lane < block; lane++) {
        uint64_t entry = (uint64_t)(index / 2) * block + lane0 + lane;
        if (entry >= entries_of(point))
            continue;
        out->active |= 1u << lane;
        out->address[lane] = entry * ELEMENT_BYTES;
    }
}

/* Does an element's first load wait for the results before it? In another round of the loop; and where the
 * results might lie over the indices or the table, after each element. A computed element begins with the
 * table, which L1 holds. */
static bool stays_behind(const struct point *point, uint32_t round, uint32_t item)
{
    return !computed(point) && (point->value[VARIANT] == PLAIN ? round + item > 0 : round > 0 && item == 0);
}

/* The block's tiles one after the other; for each element its index, its entries, its result. Entries in
 * constant memory and behind textures are neither global nor shared accesses; random ones are known
 * by their distribution. */
static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    uint32_t block = s->block[0], warps = (block + 31) / 32, lane0 = (uint32_t)(warp % warps) * 32;
    uint32_t items = (uint32_t)point->value[ITEMS], entries = (uint32_t)entries_of(point);
    bool shared = point->value[VARIANT] == SHARED;
    bool on_lsu = point->value[VARIANT] != CONSTANT && point->value[VARIANT] != TEXTURE &&
                  point->value[VARIANT] != TEXTURE_2D;
    uint32_t staging = shared && entries > lane0 ? 2 * ((entries - lane0 + block - 1) / block) : 0;
    if (index < staging) {
        stage_access(point, block, lane0, index, out);
        return true;
    }
    index -= staging;
    uint32_t reads = on_lsu ? (uint32_t)point->value[LOOKUPS] : 0, own = !computed(point);
    uint32_t steps = own + reads + 1; /* its index, its entries, its result */
    uint32_t round = index / (items * steps);
    uint64_t tile = warp / warps + (uint64_t)round * s->grid[0];
    uint32_t item = index / steps % items, step = index % steps;
    bool store = step == own + reads, table = step >= own && !store;
    int buffer = table ? BUFFER_TABLE : BUFFER_INDEX;
    if (store)
        buffer = BUFFER_OUT;
    *out = (struct access){.space = table && shared ? ACCESS_SHARED : ACCESS_GLOBAL,
                           .store = store,
                           .behind = step == 0 && stays_behind(point, round, item),
                           .random = table && point->value[INDEX] == RANDOM,
                           .buffer = buffer,
                           .width = ELEMENT_BYTES,
                           .times = 1};
    for (uint32_t lane = 0; lane < 32 && lane0 + lane < block; lane++) {
        uint64_t i = tile * tile_of(point) + (uint64_t)item * block + lane0 + lane;
        if (i >= elements(point))
            continue;
        uint64_t first = table ? fill_integer(&s->buffer[BUFFER_INDEX].fill, 0, i) : 0;
        out->active |= 1u << lane;
        out->address[lane] = (table ? (first + step - own) % entries : i) * ELEMENT_BYTES;
    }
    return out->active != 0;
}

const struct family family_lookup = {
    .space = {.kernel = "lookup", .axes = axes, .count = AXES},
    .summary = "read a small table: aliasing, and the read-only, constant, texture and shared paths",
    .data_axes = FAMILY_AXIS(SIZE) | FAMILY_AXIS(TABLE) | FAMILY_AXIS(DTYPE) | FAMILY_AXIS(INDEX) |
                 FAMILY_AXIS(INDICES) | FAMILY_AXIS(LOOKUPS),
    .source = lookup_source,
    .claims = lookup_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* it adds in the kernel's order and type, and has no product to fuse */
    .reference = reference,
    .access = access_of,
};
