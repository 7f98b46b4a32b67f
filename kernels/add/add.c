/* add - elementwise addition: width of accesses, width of arithmetic, aliasing, and the vendor's kernel.
 * Device code: add.cu.
 *
 * The three arrays have `rows` x `columns` elements each, row-major without gaps. */
#include "family/rules.h"

#include <stdio.h>

extern const char add_source[], add_claims[];

static const char *const variants[] = {"scalar", "vector",        "half2",     "unpacked",
                                       "packed", "cub_transform", "bulk_load", NULL};
enum variant { SCALAR, FLOATS, HALF2, UNPACKED, PACKED, CUB_TRANSFORM, BULK_LOAD };
static const char *const restrict_words[] = {"yes", "no", NULL};
enum restricted { RESTRICT_YES, RESTRICT_NO };
static const char *const hint_words[] = {"none", "stream_out", "stream", "read_ahead", NULL};
enum hint { HINT_NONE, HINT_STREAM_OUT, HINT_STREAM, HINT_READ_AHEAD };

enum {
    VARIANT,
    ROWS,
    COLUMNS,
    DTYPE,
    VECTOR,
    RESTRICT,
    HINT,
    OFFSET,
    BLOCK,
    ITEMS,
    CARVEOUT,
    CACHE,
    ARCH,
    AXES
};
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "scalar"),
    [ROWS] = AXIS_NUMBER("rows", "elements", "rows of each array", "4096", 1, 1 << 20, false),
    [COLUMNS] = AXIS_NUMBER("columns", "elements", "columns of each array", "4096", 1, 1 << 24, false),
    [DTYPE] = AXIS_DTYPE("f32"),
    [VECTOR] =
        AXIS_NUMBER("vector", "elements",
                    "vector, packed: elements per access, 8 to 32 bytes; bulk_load: up to 16; 0: 16 bytes",
                    "0", 0, 16, true),
    [RESTRICT] =
        AXIS_WORDS("restrict", "whether the arrays are promised not to overlap", "yes", restrict_words, true),
    [HINT] =
        AXIS_WORDS("hint", "what loads and stores tell the caches: see add.cu", "none", hint_words, true),
    [OFFSET] = AXIS_OFFSET("0"),
    [BLOCK] = AXIS_BLOCK("256"),
    [ITEMS] = AXIS_ITEMS("1"),
    [CARVEOUT] = AXIS_CARVEOUT("default"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

static uint64_t size_of(const struct point *point)
{
    return dtype_size((enum dtype)point->value[DTYPE]);
}

/* A group is the elements that a thread adds at a time: `parts` accesses of `width` elements. */
struct shape {
    uint32_t width, parts;
};
static struct shape shape_of(const struct point *point)
{
    switch (point->value[VARIANT]) {
    case FLOATS:
    case PACKED:
    case BULK_LOAD:
        return (struct shape){
            (uint32_t)(point->value[VECTOR] ? (uint64_t)point->value[VECTOR] : 16 / size_of(point)), 1};
    case HALF2:
        return (struct shape){2, 1};
    case UNPACKED:
        return (struct shape){2, 4};
    default:
        return (struct shape){1, 1};
    }
}

static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[ROWS] * (uint64_t)point->value[COLUMNS];
}

/* Elements per block. */
static uint64_t tile_of(const struct point *point)
{
    struct shape shape = shape_of(point);
    return (uint64_t)(point->value[BLOCK] * point->value[ITEMS]) * shape.width * shape.parts;
}

static uint64_t blocks_of(const struct point *point)
{
    return (elements(point) + tile_of(point) - 1) / tile_of(point);
}

/* Bytes of each input that a block loads by a bulk copy. */
static uint64_t bulk_bytes(const struct point *point)
{
    return tile_of(point) * size_of(point);
}

/* CUB chooses its own accesses and grid. */
static const char *skip_cub_transform(const struct point *point)
{
    static const int choices[] = {VECTOR, RESTRICT, HINT, OFFSET, BLOCK, ITEMS, CARVEOUT, ARCH};
    struct point standard = point_standard(point->space);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (point->value[choices[i]] != standard.value[choices[i]])
            return "cub_transform is the vendor's addition: it has no vector, restrict, hint, offset, block, "
                   "items, carveout or arch to choose";
    return NULL;
}

/* Restrictions of bulk copies and of reads of shared memory. */
static const char *skip_bulk(const struct point *point, const struct target *target, char *reason,
                             size_t size)
{
    int64_t bytes = shape_of(point).width * (int64_t)size_of(point), hint = point->value[HINT];
    if (bytes > 16 || bytes & (bytes - 1))
        snprintf(reason, size, "an access of %d %s elements to shared memory is none of 2, 4, 8 or 16 bytes",
                 (int)point->value[VECTOR], dtype_words[point->value[DTYPE]]);
    else if (point->value[RESTRICT] == RESTRICT_NO || (hint != HINT_NONE && hint != HINT_STREAM_OUT))
        return "bulk loads have no restrict to choose, and no hint but stream_out, which is the stores'";
    else if (!rules_bulk_offset(point->value[OFFSET], size_of(point), reason, size) &&
             !rules_bulk_tile(2, bulk_bytes(point), point, target, reason, size))
        return rules_grid(blocks_of(point), reason, size);
    return reason;
}

/* Variants with a vector have accesses of 8, 16 or 32 bytes. */
static const char *skip_width(const struct point *point, char *reason, size_t size)
{
    int64_t variant = point->value[VARIANT], bytes = shape_of(point).width * (int64_t)size_of(point);
    if (variant != FLOATS && variant != PACKED) {
        if (!point->value[VECTOR])
            return NULL;
        snprintf(reason, size, "%s has no vector to choose; vector and packed have", variants[variant]);
    } else if (bytes != 8 && bytes != 16 && bytes != 32) {
        snprintf(reason, size, "an access of %d %s elements is none of 8, 16 or 32 bytes",
                 (int)point->value[VECTOR], dtype_words[point->value[DTYPE]]);
    } else if (bytes == 32 && point->value[HINT]) {
        snprintf(reason, size, "accesses of 32 bytes are without hints");
    } else {
        return NULL;
    }
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    int64_t dtype = point->value[DTYPE], variant = point->value[VARIANT];
    bool half = dtype == DTYPE_F16 || dtype == DTYPE_BF16;
    if (!half && dtype != DTYPE_F32)
        snprintf(reason, size, "add is for f32, f16 and bf16, not %s", dtype_words[dtype]);
    else if (variant == CUB_TRANSFORM)
        return skip_cub_transform(point);
    else if (variant == BULK_LOAD)
        return skip_bulk(point, target, reason, size);
    else if (variant == FLOATS && half)
        snprintf(reason, size,
                 "vector is the wide access of floats; half2, unpacked and packed are those of %s",
                 dtype_words[dtype]);
    else if (variant > FLOATS && !half)
        snprintf(reason, size, "%s pairs 16-bit elements; vector is the wide access of f32",
                 variants[variant]);
    else if (skip_width(point, reason, size))
        return reason;
    else if (point->value[OFFSET] % shape_of(point).width)
        snprintf(reason, size, "an offset of %d elements misaligns accesses of %u elements",
                 (int)point->value[OFFSET], shape_of(point).width);
    else
        return rules_grid(blocks_of(point), reason, size);
    return reason;
}

/* Limit of the kernels with 32-bit indices, which count all elements of the last block, even those past the
 * end. */
#define SMALL_ELEMENTS (UINT64_C(1) << 31)

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t offset = (uint64_t)point->value[OFFSET], room = elements(point) + offset;
    bool small = blocks_of(point) * tile_of(point) <= SMALL_ELEMENTS;
    (void)target;
    return (struct setup){
        .engine = point->value[VARIANT] == CUB_TRANSFORM ? ENGINE_CUB_ADD : ENGINE_KERNEL,
        .entry = small ? "add" : "add_large",
        .buffer = {buffer_input("a", dtype, room, random), buffer_input("b", dtype, room, random),
                   buffer_output("out", dtype, room)},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, BUFFER_FROM(0, offset * size_of(point))},
                     {ARGUMENT_BUFFER, BUFFER_FROM(1, offset * size_of(point))},
                     {ARGUMENT_BUFFER, BUFFER_FROM(2, offset * size_of(point))},
                     {small ? ARGUMENT_U32 : ARGUMENT_U64, elements(point)}},
        .arguments = 4,
        .grid = {(uint32_t)blocks_of(point), 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .shared_dynamic = point->value[VARIANT] == BULK_LOAD ? rules_bulk_shared(2, bulk_bytes(point)) : 0,
        .carveout = rules_carveout(point->value[CARVEOUT]),
    };
}

static struct work work(const struct point *point)
{
    uint64_t bytes = elements(point) * size_of(point);
    return (struct work){.bytes_read = 2 * bytes, .bytes_written = bytes, .flops = elements(point)};
}

/* One addition, which IEEE 754 has correctly rounded: add.f32, add.f16 and add.bf16 (sm_80 has it as an exact
 * product with 1 inside one fused multiply-add) are. The reference adds in double and rounds once more, which
 * gives the same, since double has over twice the digits of each type, and 2 to spare (Figueroa 1995). */
enum { PORTION = 512 }; /* elements at a time, so that they stay in the L1 cache */

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t size = dtype_size(dtype), end = first + count, offset = (uint64_t)point->value[OFFSET];
    uint64_t from = first > offset ? first : offset;
    if (dtype == DTYPE_F32 && inputs->data[0] && inputs->data[1]) { /* as fast as memory */
        const float *a = inputs->data[0], *b = inputs->data[1];
        float *to = out;
        for (uint64_t i = from; i < end; i++)
            to[i - first] = a[i] + b[i];
        return;
    }
    double a[PORTION], b[PORTION];
    for (uint64_t i = from; i < end; i += PORTION) {
        uint64_t n = end - i < PORTION ? end - i : PORTION;
        inputs_real_range(inputs, 0, i, n, a);
        inputs_real_range(inputs, 1, i, n, b);
        for (uint64_t j = 0; j < n; j++)
            a[j] += b[j];
        dtype_store_range(dtype, (char *)out + (i - first) * size, a, n);
    }
}

/* One of the three accesses to the same elements, with its group and part. */
struct step {
    uint32_t array, item, part; /* array 0, 1: a, b; 2: out */
};

/* Step `index` of a thread of a whole block: all loads first, unless aliasing prevents it. */
static struct step step_of(const struct point *point, uint32_t index)
{
    uint32_t parts = shape_of(point).parts, all = (uint32_t)point->value[ITEMS] * parts;
    if (point->value[RESTRICT] == RESTRICT_NO)
        return (struct step){index % 3, index / 3 / parts, index / 3 % parts};
    if (index < 2 * all)
        return (struct step){index % 2, index / 2 / parts, index / 2 % parts};
    return (struct step){2, (index - 2 * all) / parts, (index - 2 * all) % parts};
}

/* bulk_load: a warp's reads of the block's tile, which has the part of a and then that of b. */
static void read_tile(const struct point *point, struct step step, uint32_t lane0, struct access *out)
{
    uint64_t block = (uint64_t)point->value[BLOCK], lanes = block - lane0;
    out->space = ACCESS_SHARED;
    out->buffer = 0;
    access_evenly(out, step.array * bulk_bytes(point) + (step.item * block + lane0) * out->width, out->width,
                  lanes);
}

static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    struct shape shape = shape_of(point);
    uint32_t block = s->block[0], lane0 = (uint32_t)(warp % ((block + 31) / 32)) * 32;
    uint64_t size = size_of(point);
    uint64_t start = warp / ((block + 31) / 32) * tile_of(point), count = elements(point);
    if (s->engine != ENGINE_KERNEL || start >= count)
        return false;
    bool whole = count - start >= tile_of(point);
    struct step step = {index % 3, index / 3, 0}; /* the last block, element by element */
    if (whole && index >= 3 * (uint32_t)point->value[ITEMS] * shape.parts)
        return false;
    if (whole)
        step = step_of(point, index);
    else
        shape = (struct shape){1, 1};
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .store = step.array == 2,
                           .buffer = (int)step.array,
                           .width = (uint32_t)(shape.width * size),
                           .times = 1};
    if (whole && point->value[VARIANT] == BULK_LOAD && step.array < 2) {
        read_tile(point, step, lane0, out);
        return true;
    }
    for (uint32_t lane = 0; lane < 32 && lane0 + lane < block; lane++) {
        uint64_t thread = (uint64_t)step.item * block + lane0 + lane;
        uint64_t element = start + (thread * shape.parts + step.part) * shape.width;
        if (element >= count)
            continue;
        out->active |= 1u << lane;
        out->address[lane] = ((uint64_t)point->value[OFFSET] + element) * size;
    }
    return out->active != 0;
}

const struct family family_add = {
    .space = {.kernel = "add", .axes = axes, .count = AXES},
    .summary = "add two arrays: width of access against width of arithmetic, and aliasing",
    .data_axes = FAMILY_AXIS(ROWS) | FAMILY_AXIS(COLUMNS) | FAMILY_AXIS(DTYPE) | FAMILY_AXIS(OFFSET),
    .source = add_source,
    .claims = add_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .access = access_of,
};
