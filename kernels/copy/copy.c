/* copy - coalescing, alignment and vectorization, beside the vendor's copy. The device code is in copy.cu.
 *
 * `size` is the size of each array. The strided side touches one access in `stride`, so a stride of s copies
 * size / s useful bytes out of an unchanged footprint; the dense side uses as much of its array as that. */
#include "family/rules.h"

#include <stdio.h>

extern const char copy_source[], copy_claims[];

static const char *const variants[] = {"load", "store", "gridstride", "memcpy", NULL};
enum variant { LOAD, STORE, GRIDSTRIDE, MEMCPY };

enum { VARIANT, SIZE, DTYPE, VECTOR, STRIDE, OFFSET, BLOCK, ITEMS, CARVEOUT, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "load"),
    [SIZE] = AXIS_SIZE("256MiB"),
    [DTYPE] = AXIS_DTYPE("f32"),
    [VECTOR] = AXIS_VECTOR("1"),
    [STRIDE] = AXIS_STRIDE("1"),
    [OFFSET] = AXIS_OFFSET("0"),
    [BLOCK] = AXIS_BLOCK("256"),
    [ITEMS] = AXIS_ITEMS("1"),
    [CARVEOUT] = AXIS_CARVEOUT("default"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

static uint64_t element_size(const struct point *point)
{
    return dtype_size((enum dtype)point->value[DTYPE]);
}

/* Elements of each array. */
static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / element_size(point);
}

/* How many accesses fit: the last one starts at (n - 1) * stride * vector + offset and is `vector` long. */
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

static const char *skip_memcpy(const struct point *point)
{
    if (point->value[STRIDE] != 1 || point->value[VECTOR] != 1 || point->value[ITEMS] != 1 ||
        point->value[OFFSET] != 0 || point->value[BLOCK] != 256 || point->value[ARCH] != ARCH_NATIVE)
        return "memcpy is the vendor's copy: it has no vector, stride, offset, items, block or arch to "
               "choose";
    return NULL;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
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
    else if (point->value[VARIANT] == MEMCPY)
        return skip_memcpy(point);
    else
        return point->value[VARIANT] == GRIDSTRIDE ? NULL : rules_grid(covering_blocks(point), reason, size);
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t n = accesses(point), block = (uint64_t)point->value[BLOCK];
    uint64_t blocks = covering_blocks(point);
    if (point->value[VARIANT] == GRIDSTRIDE) {
        /* As many blocks as can be resident, so that each walks over the array. */
        uint64_t resident = rules_blocks_resident(target, block, 0);
        blocks = blocks < resident ? blocks : resident;
    }
    struct setup s = {
        .engine = point->value[VARIANT] == MEMCPY ? ENGINE_MEMCPY : ENGINE_KERNEL,
        .entry = point->value[VARIANT] == MEMCPY ? NULL : "copy",
        .buffer = {buffer_input("in", dtype, elements(point), random),
                   buffer_output("out", dtype, elements(point))},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_U64, n},
                     {ARGUMENT_U64, (uint64_t)point->value[STRIDE]},
                     {ARGUMENT_U64, (uint64_t)point->value[OFFSET]}},
        .arguments = 5,
        .grid = {(uint32_t)blocks, 1, 1},
        .block = {(uint32_t)block, 1, 1},
        .carveout = rules_carveout(point->value[CARVEOUT]),
    };
    return s;
}

static struct work work(const struct point *point)
{
    uint64_t bytes = accesses(point) * (uint64_t)point->value[VECTOR] * element_size(point);
    return (struct work){.bytes_read = bytes, .bytes_written = bytes};
}

static struct tolerance tolerance(const struct point *point)
{
    (void)point;
    return (struct tolerance){0, 0};
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
    if (!scatters && stride == 1 && inputs->data[0]) { /* dense: the whole range at once */
        uint64_t end = n * vector;
        uint64_t last = first + count < end ? first + count : end;
        if (first < last)
            memcpy(out, (const char *)inputs->data[0] + (first + offset) * size, (last - first) * size);
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

/* Round r of a warp: the loads of its items, then the stores. Only `gridstride` has more than one round. */
static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    uint32_t items = (uint32_t)point->value[ITEMS], round = index / (2 * items), step = index % (2 * items);
    uint64_t size = element_size(point), width = (uint64_t)point->value[VECTOR] * size, n = accesses(point);
    uint64_t warps = (s->block[0] + 31) / 32, block = warp / warps, lane0 = warp % warps * 32;
    uint64_t start = (block + (uint64_t)round * s->grid[0]) * s->block[0] * items;
    bool store = step >= items, strided = store == (point->value[VARIANT] == STORE);
    if (s->engine != ENGINE_KERNEL || start + lane0 >= n)
        return false;
    *out = (struct access){
        .space = ACCESS_GLOBAL, .store = store, .buffer = store, .width = (uint32_t)width, .times = 1};
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint64_t k = start + step % items * s->block[0] + lane0 + lane;
        if (k >= n || lane0 + lane >= s->block[0])
            continue;
        out->active |= 1u << lane;
        out->address[lane] =
            strided ? k * (uint64_t)point->value[STRIDE] * width + (uint64_t)point->value[OFFSET] * size
                    : k * width;
    }
    return true;
}

const struct family family_copy = {
    .space = {.kernel = "copy", .axes = axes, .count = AXES},
    .summary = "read an array, write an array: coalescing, alignment, vectorization, and the vendor's copy",
    .source = copy_source,
    .claims = copy_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .access = access_of,
};
