/* copy - coalescing, alignment and vectorization, with the vendor's copies and bulk copies as baselines.
 * Device code: copy.cu.
 *
 * `size`: bytes of each array. The strided side uses one access out of `stride`, so a stride of s copies size
 * / s useful bytes from an unchanged footprint; the dense side uses size / s bytes of its array. */
#include "family/rules.h"

#include <stdio.h>

extern const char copy_source[], copy_claims[];

static const char *const variants[] = {"load",   "store",         "gridstride", "bulk",
                                       "memcpy", "cub_transform", "bulk_load",  NULL};
enum variant { LOAD, STORE, GRIDSTRIDE, BULK, MEMCPY, CUB_TRANSFORM, BULK_LOAD };
static const char *const fill_words[] = {"random", "zeros", "ones", "alternating", "walking", NULL};
static const char *const l2_fetch_words[] = {"default", "32", "64", "128", NULL};
static const uint32_t l2_fetch_bytes[] = {0, 32, 64, 128};
enum contents { RANDOM, ZEROS, ONES, ALTERNATING, WALKING };

enum {
    VARIANT,
    SIZE,
    DTYPE,
    VECTOR,
    STRIDE,
    OFFSET,
    BLOCK,
    ITEMS,
    TILE_BYTES,
    HINT,
    CARVEOUT,
    FILL,
    L2_FETCH,
    CACHE,
    ARCH,
    AXES
};
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "load"),
    [SIZE] = AXIS_SIZE("256MiB"),
    [DTYPE] = AXIS_DTYPE("f32"),
    [VECTOR] = AXIS_VECTOR("1"),
    [STRIDE] = AXIS_STRIDE("1"),
    [OFFSET] = AXIS_OFFSET("0"),
    [BLOCK] = AXIS_BLOCK("256"),
    [ITEMS] = AXIS_ITEMS("1"),
    [TILE_BYTES] = {.name = "tile_bytes",
                    .kind = AXIS_BYTES,
                    .unit = "bytes",
                    .summary = "bytes of one bulk copy (variant bulk)",
                    .standard = "8KiB",
                    .least = 1 << 10,
                    .most = 32 << 10,
                    .compiled = true},
    [HINT] = AXIS_HINT,
    [CARVEOUT] = AXIS_CARVEOUT("default"),
    [FILL] = {.name = "fill",
              .kind = AXIS_WORD,
              .unit = "",
              .summary = "bits of the input: random, all 0, all 1, 01 and 10 in turn, one 1 that walks",
              .standard = "random",
              .words = fill_words,
              .late = true},
    [L2_FETCH] = {.name = "l2_fetch",
                  .kind = AXIS_WORD,
                  .unit = "",
                  .summary = "bytes that a miss of L2 fetches at most, by the device's limit: a hint",
                  .standard = "default",
                  .words = l2_fetch_words,
                  .late = true},
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

/* Bits in elements of a type, which has 4 or 8 bytes; a copy of floats sees the same bits as one of
 * integers. */
static struct buffer input_of(enum dtype dtype, uint64_t count, enum contents contents)
{
    uint64_t bits = 8 * dtype_size(dtype), all = UINT64_MAX, even = all / 3;
    struct fill fill[] = {[RANDOM] = {.kind = FILL_RANDOM, .low = -1, .high = 1},
                          [ZEROS] = {.kind = FILL_ALTERNATE},
                          [ONES] = {.kind = FILL_ALTERNATE, .multiplier = all, .addend = all},
                          [ALTERNATING] = {.kind = FILL_ALTERNATE, .multiplier = even, .addend = ~even},
                          [WALKING] = {.kind = FILL_WALKING, .modulus = bits}};
    if (contents != RANDOM)
        dtype = bits == 32 ? DTYPE_I32 : DTYPE_I64;
    return buffer_input("in", dtype, count, fill[contents]);
}

static uint64_t element_size(const struct point *point)
{
    return dtype_size((enum dtype)point->value[DTYPE]);
}

/* Elements per array. */
static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / element_size(point);
}

/* The number of accesses n: the last one starts at (n - 1) * stride * vector + offset, and has `vector`
 * elements. */
static uint64_t accesses(const struct point *point)
{
    uint64_t vector = (uint64_t)point->value[VECTOR], step = (uint64_t)point->value[STRIDE] * vector;
    uint64_t offset = (uint64_t)point->value[OFFSET], count = elements(point);
    return count < offset + vector ? 0 : (count - offset - vector) / step + 1;
}

/* Blocks that cover the array once. */
static uint64_t covering_blocks(const struct point *point)
{
    uint64_t tile = (uint64_t)point->value[BLOCK] * (uint64_t)point->value[ITEMS];
    return (accesses(point) + tile - 1) / tile;
}

/* `bulk`: stages of a tile in shared memory (copy.cu), their barriers, and blocks of one warp. */
enum { STAGES = 4, BULK_THREADS = 32 };

static uint32_t bulk_shared(const struct point *point)
{
    return STAGES * ((uint32_t)point->value[TILE_BYTES] + 8);
}

/* Does an axis that the variant ignores have another value than the default? */
static bool chooses(const struct point *point, int axis)
{
    return point->value[axis] != space_standard(point->space, axis);
}

/* Copies that ignore the axes of accesses: the vendor's, and bulk copies. */
static bool is_whole(const struct point *point)
{
    return point->value[VARIANT] == BULK || point->value[VARIANT] == MEMCPY ||
           point->value[VARIANT] == CUB_TRANSFORM;
}

static const char *skip_whole(const struct point *point, const struct target *target, char *reason,
                              size_t size)
{
    static const int access[] = {VECTOR, STRIDE, OFFSET, ITEMS, BLOCK, HINT};
    bool bulk = point->value[VARIANT] == BULK;
    const char *name = variants[point->value[VARIANT]];
    for (size_t i = 0; i < sizeof access / sizeof *access; i++) {
        if (!chooses(point, access[i]))
            continue;
        if (bulk)
            return "bulk copies have a tile; they have no vector, stride, offset, items, block or hint";
        snprintf(
            reason, size,
            "%s is the vendor's copy: it has no vector, stride, offset, items, block, hint or arch to choose",
            name);
        return reason;
    }
    if (!bulk && point->value[ARCH] == ARCH_NATIVE)
        return NULL;
    if (!bulk)
        snprintf(reason, size, "%s is the vendor's copy: it has no arch to choose", name);
    else if (point->value[TILE_BYTES] % 16)
        return "bulk copies move multiples of 16 bytes";
    else
        return rules_capability("a bulk copy", 90, point, target, reason, size);
    return reason;
}

/* bulk_load: bytes that a block loads by its bulk copy. */
static uint64_t tile_bytes(const struct point *point)
{
    return (uint64_t)(point->value[BLOCK] * point->value[ITEMS] * point->value[VECTOR]) * element_size(point);
}

static const char *skip_bulk_load(const struct point *point, const struct target *target, char *reason,
                                  size_t size)
{
    uint64_t width = (uint64_t)point->value[VECTOR] * element_size(point);
    if (width > 16)
        snprintf(reason, size, "an access of %d bytes to shared memory is wider than 16", (int)width);
    else if (chooses(point, STRIDE) || chooses(point, HINT))
        return "bulk loads have no stride and no hint";
    else if (!rules_bulk_offset(point->value[OFFSET], element_size(point), reason, size) &&
             !rules_bulk_tile(1, tile_bytes(point), point, target, reason, size))
        return rules_grid(covering_blocks(point), reason, size);
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t vector = (uint64_t)point->value[VECTOR];
    if (rules_whole_elements(point->value[SIZE], dtype, reason, size) ||
        rules_vector(point->value[VECTOR], dtype, reason, size))
        return reason;
    if ((uint64_t)point->value[OFFSET] % vector)
        snprintf(reason, size, "an offset of %d elements misaligns accesses of %d elements",
                 (int)point->value[OFFSET], (int)vector);
    else if (!accesses(point))
        snprintf(reason, size, "the array is too small for one access at that offset");
    else if (chooses(point, FILL) && element_size(point) != 4 && element_size(point) != 8)
        snprintf(reason, size, "fill is of words of 4 or 8 bytes; %s has %d",
                 dtype_words[point->value[DTYPE]], (int)element_size(point));
    else if (target->host && chooses(point, L2_FETCH))
        snprintf(reason, size, "l2_fetch is a limit of GPUs");
    else if (point->value[VARIANT] != BULK && chooses(point, TILE_BYTES))
        snprintf(reason, size, "only bulk copies have a tile");
    else if (is_whole(point))
        return skip_whole(point, target, reason, size);
    else if (point->value[VARIANT] == BULK_LOAD)
        return skip_bulk_load(point, target, reason, size);
    else
        return point->value[VARIANT] == GRIDSTRIDE ? NULL : rules_grid(covering_blocks(point), reason, size);
    return reason;
}

/* Limit of the kernels with 32-bit indices, which count the accesses of a round and the step to the next
 * round. */
#define SMALL_ELEMENTS (UINT64_C(1) << 31)

static struct setup bulk_setup(const struct point *point, const struct target *target, struct setup s)
{
    uint64_t bytes = elements(point) * element_size(point) / 16 * 16;
    uint64_t tiles = (bytes + (uint64_t)point->value[TILE_BYTES] - 1) / (uint64_t)point->value[TILE_BYTES];
    uint64_t resident = rules_blocks_resident(target, BULK_THREADS, bulk_shared(point));
    s.entry = "copy";
    s.argument[2] = (struct argument){ARGUMENT_U64, bytes};
    s.argument[3] = (struct argument){ARGUMENT_U32, elements(point) * element_size(point) % 16};
    s.arguments = 4;
    s.grid[0] = (uint32_t)(tiles < resident ? tiles + !tiles : resident);
    s.block[0] = BULK_THREADS;
    s.shared_dynamic = bulk_shared(point);
    return s;
}

static enum engine engine_of(const struct point *point)
{
    if (point->value[VARIANT] == MEMCPY)
        return ENGINE_MEMCPY;
    return point->value[VARIANT] == CUB_TRANSFORM ? ENGINE_CUB_COPY : ENGINE_KERNEL;
}

enum { ACCESSES = 2 }; /* the argument with the number of accesses */

static struct setup setup(const struct point *point, const struct target *target)
{
    static const char *const entries[2][2] = {{"copy", "copy_large"}, {"copy_strided", "copy_strided_large"}};
    struct buffer in =
        input_of((enum dtype)point->value[DTYPE], elements(point), (enum contents)point->value[FILL]);
    uint64_t block = (uint64_t)point->value[BLOCK], blocks = covering_blocks(point);
    uint64_t offset = (uint64_t)point->value[OFFSET] * element_size(point);
    bool large = elements(point) > SMALL_ELEMENTS, strided = point->value[STRIDE] != 1;
    bool scatters = point->value[VARIANT] == STORE;
    enum argument_kind number = large ? ARGUMENT_U64 : ARGUMENT_U32;
    if (point->value[VARIANT] == GRIDSTRIDE) {
        /* As many blocks as are resident at once; each loops over the array. */
        uint64_t resident = rules_blocks_resident(target, block, 0);
        blocks = blocks < resident ? blocks : resident;
    }
    struct setup s = {
        .engine = engine_of(point),
        .entry = engine_of(point) == ENGINE_KERNEL ? entries[strided][large] : NULL,
        .buffer = {in, buffer_output("out", in.dtype, elements(point))},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, BUFFER_FROM(0, scatters ? 0 : offset)},
                     {ARGUMENT_BUFFER, BUFFER_FROM(1, scatters ? offset : 0)},
                     [ACCESSES] = {number, accesses(point)},
                     {number, (uint64_t)point->value[STRIDE]}},
        .arguments = strided ? 4 : 3,
        .grid = {(uint32_t)blocks, 1, 1},
        .block = {(uint32_t)block, 1, 1},
        .shared_dynamic = point->value[VARIANT] == BULK_LOAD ? rules_bulk_shared(1, tile_bytes(point)) : 0,
        .carveout = rules_carveout(point->value[CARVEOUT]),
        .l2.fetch = l2_fetch_bytes[point->value[L2_FETCH]],
    };
    return point->value[VARIANT] == BULK ? bulk_setup(point, target, s) : s;
}

static struct work work(const struct point *point)
{
    uint64_t bytes = accesses(point) * (uint64_t)point->value[VECTOR] * element_size(point);
    return (struct work){.bytes_read = bytes, .bytes_written = bytes};
}

/* Output element i belongs to access i / step, if it is one of its first `vector` elements. */
static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    uint64_t size = element_size(point), vector = (uint64_t)point->value[VECTOR], n = accesses(point);
    uint64_t stride = (uint64_t)point->value[STRIDE], offset = (uint64_t)point->value[OFFSET];
    bool scatters = point->value[VARIANT] == STORE;
    uint64_t from_step = vector * (scatters ? 1 : stride), from_offset = scatters ? 0 : offset;
    uint64_t to_step = vector * (scatters ? stride : 1), to_offset = scatters ? offset : 0;
    if (!scatters && stride == 1) { /* dense: copy the whole range */
        uint64_t end = n * vector;
        uint64_t last = first + count < end ? first + count : end;
        if (first < last)
            inputs_load_range(inputs, 0, first + offset, last - first, out);
        return;
    }
    for (uint64_t i = first; i < first + count; i++) {
        if (i < to_offset)
            continue;
        uint64_t k = (i - to_offset) / to_step, lane = (i - to_offset) % to_step;
        if (k < n && lane < vector)
            inputs_load(inputs, 0, k * from_step + lane + from_offset, (char *)out + (i - first) * size);
    }
}

/* A round of a warp: the loads of its items, then the stores. Only `gridstride` has several rounds. Whole
 * blocks of `bulk_load` load from the tile in shared memory. */
static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    uint32_t items = (uint32_t)point->value[ITEMS], round = index / (2 * items), step = index % (2 * items);
    uint64_t warps = (s->block[0] + 31) / 32, block = warp / warps, lane0 = warp % warps * 32;
    uint64_t start = (block + (uint64_t)round * s->grid[0]) * s->block[0] * items;
    uint64_t n = s->argument[ACCESSES].value; /* accesses(point), without a division */
    bool store = step >= items, strided = store == (point->value[VARIANT] == STORE);
    if (s->engine != ENGINE_KERNEL || point->value[VARIANT] == BULK || start + lane0 >= n)
        return false;
    uint64_t size = element_size(point), width = (uint64_t)point->value[VECTOR] * size;
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .store = store,
                           .behind = round && step == 0,
                           .buffer = store,
                           .width = (uint32_t)width,
                           .times = 1};
    if (point->value[VARIANT] == BULK_LOAD && !store && start + s->block[0] * items <= n) {
        out->space = ACCESS_SHARED;
        access_evenly(out, (step * s->block[0] + lane0) * width, width, s->block[0] - lane0);
        return true;
    }
    uint64_t first = start + step % items * s->block[0] + lane0; /* of the first lane */
    uint64_t pitch = strided ? (uint64_t)point->value[STRIDE] * width : width;
    uint64_t offset = strided ? (uint64_t)point->value[OFFSET] * size : 0;
    uint64_t lanes = first < n ? n - first : 0;
    lanes = lanes < s->block[0] - lane0 ? lanes : s->block[0] - lane0;
    access_evenly(out, first * pitch + offset, pitch, lanes);
    return true;
}

const struct family family_copy = {
    .space = {.kernel = "copy", .axes = axes, .count = AXES},
    .summary = "read an array, write an array: coalescing, alignment, vectorization, and the vendor's copies",
    .data_axes = FAMILY_AXIS(VARIANT) | FAMILY_AXIS(SIZE) | FAMILY_AXIS(DTYPE) | FAMILY_AXIS(VECTOR) |
                 FAMILY_AXIS(STRIDE) | FAMILY_AXIS(OFFSET) | FAMILY_AXIS(FILL),
    .source = copy_source,
    .claims = copy_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .access = access_of,
};
