/* gather - reads through an index array: linear, strided, permuted or random. Device code: gather.cu.
 *
 * `size`: bytes of the array that is read. There are as many indices and results as it has elements. */
#include "family/rules.h"

#include <stdio.h>

extern const char gather_source[], gather_claims[];

static const char *const variants[] = {"linear", "strided", "permuted", "random", NULL};
enum variant { LINEAR, STRIDED, PERMUTED, RANDOM };
static const char *const index_dtype_words[] = {"i32", "i64", NULL};

enum { VARIANT, SIZE, DTYPE, INDEX_DTYPE, STRIDE, BLOCK, ITEMS, HINT, CARVEOUT, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    /* Not compiled: the variants differ only in their indices. */
    [VARIANT] = {.name = "variant",
                 .kind = AXIS_WORD,
                 .unit = "",
                 .summary = "what the indices hold",
                 .standard = "linear",
                 .words = variants},
    [SIZE] = AXIS_SIZE("256MiB"),
    [DTYPE] = AXIS_DTYPE("f32"),
    [INDEX_DTYPE] = AXIS_WORDS("index_dtype", "type of the indices", "i32", index_dtype_words, true),
    [STRIDE] = AXIS_STRIDE("1"),
    [BLOCK] = AXIS_BLOCK("256"),
    [ITEMS] = AXIS_ITEMS("4"),
    [HINT] = AXIS_HINT,
    [CARVEOUT] = AXIS_CARVEOUT("default"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};
enum { IN, INDEX, OUT };

static uint64_t element_size(const struct point *point)
{
    return dtype_size((enum dtype)point->value[DTYPE]);
}

static enum dtype index_dtype(const struct point *point)
{
    return point->value[INDEX_DTYPE] ? DTYPE_I64 : DTYPE_I32;
}

static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / element_size(point);
}

static uint64_t tile_of(const struct point *point)
{
    return (uint64_t)(point->value[BLOCK] * point->value[ITEMS]);
}

static uint64_t blocks_of(const struct point *point)
{
    return (elements(point) + tile_of(point) - 1) / tile_of(point);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* The modulus of strided indices: the largest number up to `count` for which steps of `stride` reach all
 * elements. */
static uint64_t wrap_of(uint64_t count, uint64_t stride)
{
    while (common_divisor(count, stride) != 1)
        count--;
    return count;
}

static struct fill fill_of(const struct point *point)
{
    uint64_t n = elements(point), stride = (uint64_t)point->value[STRIDE];
    switch ((enum variant)point->value[VARIANT]) {
    case LINEAR:
        return (struct fill){.kind = FILL_INDEX, .multiplier = 1, .modulus = n};
    case STRIDED:
        return (struct fill){.kind = FILL_INDEX, .multiplier = stride, .modulus = wrap_of(n, stride)};
    case PERMUTED:
        return (struct fill){.kind = FILL_FEISTEL, .modulus = n};
    case RANDOM:
        break;
    }
    return (struct fill){.kind = FILL_BELOW, .modulus = n};
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    if (rules_whole_elements(point->value[SIZE], (enum dtype)point->value[DTYPE], reason, size))
        return reason;
    if (point->value[VARIANT] != STRIDED && point->value[STRIDE] != 1)
        snprintf(reason, size, "%s indices have no stride; strided ones do", variants[point->value[VARIANT]]);
    else if (index_dtype(point) == DTYPE_I32 && elements(point) > UINT64_C(1) << 31)
        snprintf(reason, size, "i32 indices reach 2^31 elements, not %llu",
                 (unsigned long long)elements(point));
    else
        return rules_grid(blocks_of(point), reason, size);
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t n = elements(point);
    (void)target;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "gather",
        .buffer = {[IN] = buffer_input("in", dtype, n, random),
                   [INDEX] = buffer_input("index", index_dtype(point), n, fill_of(point)),
                   [OUT] = buffer_output("out", dtype, n)},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, IN},
                     {ARGUMENT_BUFFER, INDEX},
                     {ARGUMENT_BUFFER, OUT},
                     {ARGUMENT_U64, n}},
        .arguments = 4,
        .grid = {(uint32_t)blocks_of(point), 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .carveout = rules_carveout(point->value[CARVEOUT]),
    };
}

/* Every index, every gathered element and every result, once. */
static struct work work(const struct point *point)
{
    uint64_t bytes = elements(point) * element_size(point);
    return (struct work){.bytes_read = bytes + elements(point) * dtype_size(index_dtype(point)),
                         .bytes_written = bytes};
}

static uint64_t index_at(const struct inputs *inputs, uint64_t i)
{
    uint64_t index = 0; /* indices are not negative: the upper half of an i32 stays 0 */
    inputs_load(inputs, INDEX, i, &index);
    return index;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    uint64_t size = element_size(point);
    for (uint64_t i = 0; i < count; i++)
        inputs_load(inputs, IN, index_at(inputs, first + i), (char *)out + i * size);
}

/* A whole block loads all indices, then all elements, then stores; the last block processes one item after
 * another. There are no accesses for permuted and random: their indices are not known before the run. */
static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    uint32_t block = s->block[0], items = (uint32_t)point->value[ITEMS];
    uint32_t lane0 = (uint32_t)(warp % ((block + 31) / 32)) * 32;
    uint64_t start = warp / ((block + 31) / 32) * tile_of(point), count = elements(point);
    if (point->value[VARIANT] == PERMUTED || point->value[VARIANT] == RANDOM || start >= count)
        return false;
    bool whole = count - start >= tile_of(point);
    if (whole && index >= 3 * items)
        return false;
    static const int buffers[] = {INDEX, IN, OUT};
    int buffer = buffers[whole ? index / items : index % 3];
    uint64_t item = whole ? index % items : index / 3;
    uint64_t size = buffer == INDEX ? dtype_size(index_dtype(point)) : element_size(point);
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .store = buffer == OUT,
                           .buffer = buffer,
                           .width = (uint32_t)size,
                           .times = 1};
    for (uint32_t lane = 0; lane < 32 && lane0 + lane < block; lane++) {
        uint64_t i = start + item * block + lane0 + lane;
        if (i >= count)
            continue;
        out->active |= 1u << lane;
        out->address[lane] = (buffer == IN ? fill_integer(&s->buffer[INDEX].fill, 0, i) : i) * size;
    }
    return out->active != 0;
}

const struct family family_gather = {
    .space = {.kernel = "gather", .axes = axes, .count = AXES},
    .summary = "read through an index array: linear, strided, permuted and random",
    .data_axes = FAMILY_AXIS(VARIANT) | FAMILY_AXIS(SIZE) | FAMILY_AXIS(DTYPE) | FAMILY_AXIS(INDEX_DTYPE) |
                 FAMILY_AXIS(STRIDE),
    .source = gather_source,
    .claims = gather_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* elements are copied unchanged */
    .reference = reference,
    .access = access_of,
};
