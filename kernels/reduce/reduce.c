/* reduce - the sum of an array, beside the vendor's. The device code is in reduce.cu.
 *
 * `size` is the size of the array; elements from `offset` on are summed. */
#include "family/rules.h"

#include <math.h>
#include <stdio.h>

extern const char reduce_source[], reduce_claims[];

static const char *const variants[] = {"shared_tree", "shuffle",    "cub_warp", "cub_block",
                                       "redux",       "cub_device", NULL};
enum variant { SHARED_TREE, SHUFFLE, CUB_WARP, CUB_BLOCK, REDUX, CUB_DEVICE };
static const char *const grids[] = {"resident", "cover", NULL};
enum grid { RESIDENT, COVER };

enum { VARIANT, SIZE, DTYPE, VECTOR, OFFSET, BLOCK, ITEMS, GRID, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "shuffle"),
    [SIZE] = AXIS_SIZE("256MiB"),
    [DTYPE] = AXIS_DTYPE("f32"),
    [VECTOR] = AXIS_VECTOR("4"),
    [OFFSET] = AXIS_OFFSET("0"),
    [BLOCK] = AXIS_BLOCK("256"),
    [ITEMS] = AXIS_ITEMS("8"),
    [GRID] = AXIS_WORDS("grid", "blocks: as many as stay on the device (resident), or one a tile (cover)",
                        "resident", grids, false),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

/* Bytes of an element: f32 and i32 are the only ones. */
#define ELEMENT 4

/* Threads that stay on a multiprocessor whatever the kernel's registers (64 of them, see its launch bounds).
 */
#define RESIDENT_THREADS 1024

/* The array as the kernel walks over it, in elements but for `accesses` and `tiles`. */
struct walk {
    uint64_t count;      /* summed */
    uint64_t head, tail; /* before and after the aligned accesses */
    uint64_t accesses, tile /* accesses */, tiles;
};

static struct walk walk_of(const struct point *point)
{
    uint64_t all = (uint64_t)point->value[SIZE] / ELEMENT, offset = (uint64_t)point->value[OFFSET];
    uint64_t vector = (uint64_t)point->value[VECTOR];
    struct walk w = {.count = all > offset ? all - offset : 0, .head = (vector - offset % vector) % vector};
    if (w.head > w.count)
        w.head = w.count;
    w.accesses = (w.count - w.head) / vector;
    w.tail = w.count - w.head - w.accesses * vector;
    w.tile = (uint64_t)point->value[BLOCK] * (uint64_t)point->value[ITEMS];
    w.tiles = w.accesses ? (w.accesses + w.tile - 1) / w.tile : 1;
    return w;
}

static const char *skip_cub_device(const struct point *point)
{
    if (point->value[VECTOR] != 4 || point->value[OFFSET] != 0 || point->value[BLOCK] != 256 ||
        point->value[ITEMS] != 8 || point->value[GRID] != RESIDENT || point->value[ARCH] != ARCH_NATIVE)
        return "cub_device is the vendor's sum of a whole array: it has no vector, offset, block, items, "
               "grid "
               "or arch to choose";
    return NULL;
}

static const char *skip_redux(const struct point *point, const struct target *target, char *reason,
                              size_t size)
{
    if (point->value[DTYPE] != DTYPE_I32)
        return "redux adds integers";
    return rules_capability("redux", 80, point, target, reason, size);
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    if (dtype != DTYPE_F32 && dtype != DTYPE_I32)
        snprintf(reason, size, "sums are of f32 and i32, not of %s", dtype_words[dtype]);
    else if (rules_whole_elements(point->value[SIZE], dtype, reason, size) ||
             rules_vector(point->value[VECTOR], dtype, reason, size) ||
             rules_whole_warps(point->value[BLOCK], reason, size) ||
             (point->value[GRID] == COVER && rules_grid(walk_of(point).tiles, reason, size)))
        return reason;
    else if (!walk_of(point).count)
        return "the array ends before that offset";
    else if (point->value[VARIANT] == CUB_DEVICE)
        return skip_cub_device(point);
    else if (point->value[VARIANT] == REDUX)
        return skip_redux(point, target, reason, size);
    else
        return NULL;
    return reason;
}

static uint64_t blocks_of(const struct point *point, const struct target *target)
{
    uint64_t block = (uint64_t)point->value[BLOCK], tiles = walk_of(point).tiles;
    uint64_t resident = rules_multiprocessors(target) * (RESIDENT_THREADS / block);
    return point->value[GRID] == COVER || tiles < resident ? tiles : resident;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    struct walk w = walk_of(point);
    uint64_t blocks = blocks_of(point, target);
    struct setup s = {
        .engine = point->value[VARIANT] == CUB_DEVICE ? ENGINE_CUB_REDUCE : ENGINE_KERNEL,
        .entry = "reduce",
        .buffer = {buffer_input("in", dtype, (uint64_t)point->value[SIZE] / ELEMENT, random),
                   buffer_output("sum", dtype, 1),
                   {.name = "partial", .role = BUFFER_SCRATCH, .dtype = dtype, .count = blocks},
                   {.name = "done", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = 1}},
        .buffers = point->value[VARIANT] == CUB_DEVICE ? 2 : 4,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_BUFFER, 2},
                     {ARGUMENT_BUFFER, 3},
                     {ARGUMENT_U64, w.accesses},
                     {ARGUMENT_U32, w.head},
                     {ARGUMENT_U32, w.tail},
                     {ARGUMENT_U64, (uint64_t)point->value[OFFSET]}},
        .arguments = 8,
        .grid = {(uint32_t)blocks, 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .carveout = -1,
    };
    return s;
}

/* Sums of integers are operations, but no floating-point ones. Five shuffles per thread pass at 32 lanes per
 * cycle of an SM, one redux at 16 (CUDA C++ Programming Guide); looping blocks need few of either. */
static struct work work(const struct point *point)
{
    struct walk w = walk_of(point);
    uint64_t threads = point->value[GRID] == COVER ? w.tiles * (uint64_t)point->value[BLOCK] : 0;
    enum variant variant = (enum variant)point->value[VARIANT];
    uint64_t special = variant == REDUX ? threads : 5 * threads / 2;
    return (struct work){.bytes_read = w.count * ELEMENT,
                         .bytes_written = ELEMENT,
                         .flops = point->value[DTYPE] == DTYPE_F32 ? w.count - 1 : 0,
                         .special = variant == SHARED_TREE ? 0 : special};
}

/* Integers wrap alike everywhere: bit for bit. Floats:
 *
 * The elements are uniform in [-1, 1), with variance 1/3, so the sum of k of them is about sqrt(k / 3), and
 * adding the next rounds by at most 2^-24 of that: by sqrt(1/3) of the most in the root mean square, since
 * errors are spread evenly. The n additions' errors are independent. Where a thread adds c elements one after
 * another and a tree adds the rest, their squares add up to (2^-24 / 3)^2 n (c / 2 + log2 n). 2^17 threads,
 * as an H200 has in flight, make c = 1 + n / 2^17. Eight standard deviations are never met by chance, and yet
 * at 2^26 elements they are 0.022: a lost element, 0.58 on average, shows. */
static struct tolerance tolerance(const struct point *point)
{
    double n = (double)walk_of(point).count, chain = 1 + n / 0x1p17;
    if (point->value[DTYPE] == DTYPE_I32)
        return (struct tolerance){0};
    return (struct tolerance){.absolute = 8 * 0x1p-24 / 3 * sqrt(n * (chain / 2 + log2(n) + 1))};
}

/* Elements of both types are whole numbers of one unit, 1 or 2^-23 (what fill_real's 24 random bits make of
 * [-1, 1)), so sums of them as integers are exact, whatever their order. */
struct summing {
    const struct inputs *inputs;
    uint64_t offset;
    double unit;
    int64_t sum; /* shared by threads: added to atomically */
};

enum { PORTION = 128 };

static int64_t sum_whole(const int32_t *portion)
{
    int64_t sum = 0;
    for (int i = 0; i < PORTION; i++)
        sum += portion[i];
    return sum;
}

/* 128 numbers of 24 bits fit an int: vectors of it are wider. */
static int64_t sum_real(const float *portion)
{
    int32_t sum = 0;
    for (int i = 0; i < PORTION; i++)
        sum += (int32_t)(portion[i] * 0x1p23f);
    return sum;
}

static void sum_range(void *context, uint64_t first, uint64_t count)
{
    struct summing *s = context;
    const struct inputs *inputs = s->inputs;
    bool whole = inputs->setup->buffer[0].dtype == DTYPE_I32;
    int64_t sum = 0;
    _Alignas(64) uint32_t portion[PORTION];
    for (uint64_t done = 0; done < count; done += PORTION) {
        uint64_t n = count - done < PORTION ? count - done : PORTION;
        if (n < PORTION)
            memset(portion, 0, sizeof portion); /* zeros add nothing */
        inputs_load_range(inputs, 0, first + s->offset + done, n, portion);
        sum += whole ? sum_whole((const int32_t *)portion) : sum_real((const float *)portion);
    }
    __atomic_fetch_add(&s->sum, sum, __ATOMIC_RELAXED);
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    struct summing s = {.inputs = inputs, .offset = (uint64_t)point->value[OFFSET]};
    if (first > 0 || count == 0)
        return; /* there is one output */
    inputs_parallel(inputs, walk_of(point).count, 1 << 18, sum_range, &s);
    if (point->value[DTYPE] == DTYPE_I32) {
        uint32_t wrapped = (uint32_t)s.sum;
        memcpy(out, &wrapped, sizeof wrapped);
    } else {
        dtype_store(DTYPE_F32, out, (double)s.sum * 0x1p-23);
    }
}

/* ---- the access pattern ---- */

/* Walks over a warp's instructions in the order of the kernel until the wanted one. */
struct cursor {
    uint32_t at, wanted;
    struct access *out;
};

/* Lanes [0, lanes) access `width` bytes each, `step` bytes apart from `base`. True: this was the wanted one.
 */
static bool emit(struct cursor *cursor, enum access_space space, bool store, int buffer, uint32_t width,
                 uint64_t base, uint64_t step, uint64_t lanes)
{
    if (!lanes || cursor->at++ != cursor->wanted)
        return false;
    *cursor->out =
        (struct access){.space = space, .store = store, .buffer = buffer, .width = width, .times = 1};
    for (uint32_t lane = 0; lane < 32 && lane < lanes; lane++) {
        cursor->out->active |= 1u << lane;
        cursor->out->address[lane] = base + lane * step;
    }
    return true;
}

static bool emit_shared(struct cursor *cursor, bool store, uint64_t base, uint64_t step, uint64_t lanes)
{
    return emit(cursor, ACCESS_SHARED, store, 0, ELEMENT, base, step, lanes);
}

/* How many of the warp's lanes lie below `end`, when its first is `thread`. */
static uint64_t lanes_below(uint64_t end, uint64_t thread)
{
    if (end <= thread)
        return 0;
    return end - thread < 32 ? end - thread : 32;
}

static bool emit_tree(struct cursor *cursor, uint64_t thread, uint64_t block)
{
    uint64_t half = 16;
    while (2 * half < block)
        half *= 2;
    if (emit_shared(cursor, true, thread * ELEMENT, ELEMENT, 32))
        return true;
    for (; half > 0; half /= 2) {
        uint64_t end = half < block - half ? half : block - half, lanes = lanes_below(end, thread);
        if (emit_shared(cursor, false, (thread + half) * ELEMENT, ELEMENT, lanes) ||
            emit_shared(cursor, true, thread * ELEMENT, ELEMENT, half > 1 ? lanes : 0))
            return true;
    }
    return false;
}

static bool emit_block_sum(struct cursor *cursor, enum variant variant, uint64_t thread, uint64_t block)
{
    if (variant == SHARED_TREE)
        return emit_tree(cursor, thread, block);
    return emit_shared(cursor, true, thread / 32 * ELEMENT, 0, 1) ||
           (thread == 0 && emit_shared(cursor, false, 0, ELEMENT, block / 32));
}

/* The last tile, when it is not full, and what surrounds the aligned accesses. */
static bool emit_edges(struct cursor *cursor, const struct point *point, const struct setup *s,
                       uint64_t block_index, uint64_t thread)
{
    struct walk w = walk_of(point);
    uint64_t block = s->block[0], width = (uint64_t)point->value[VECTOR] * ELEMENT;
    uint64_t start = (uint64_t)point->value[OFFSET] * ELEMENT, body = start + w.head * ELEMENT;
    uint64_t tile = w.accesses / w.tile, rest = w.accesses % w.tile;
    if (rest && tile % s->grid[0] == block_index)
        for (uint64_t i = thread; i < rest; i += block)
            if (emit(cursor, ACCESS_GLOBAL, false, 0, (uint32_t)width, body + (tile * w.tile + i) * width,
                     width, rest - i))
                return true;
    if (block_index)
        return false;
    return emit(cursor, ACCESS_GLOBAL, false, 0, ELEMENT, start, ELEMENT, lanes_below(w.head, thread)) ||
           emit(cursor, ACCESS_GLOBAL, false, 0, ELEMENT, body + w.accesses * width, ELEMENT,
                lanes_below(w.tail, thread));
}

/* The sums of all blocks, added by the last to finish: taken for the last of the grid. */
static bool emit_final(struct cursor *cursor, enum variant variant, const struct setup *s, uint64_t thread)
{
    for (uint64_t i = thread; i < s->grid[0]; i += s->block[0])
        if (emit(cursor, ACCESS_GLOBAL, false, 2, ELEMENT, i * ELEMENT, ELEMENT, s->grid[0] - i))
            return true;
    return emit_block_sum(cursor, variant, thread, s->block[0]) ||
           emit(cursor, ACCESS_GLOBAL, true, 1, ELEMENT, 0, 0, thread == 0);
}

/* What CUB keeps in shared memory, and how, is CUB's: no prediction for its variants. */
static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    enum variant variant = (enum variant)point->value[VARIANT];
    struct walk w = walk_of(point);
    uint64_t warps = s->block[0] / 32, block_index = warp / warps, thread = warp % warps * 32;
    uint64_t items = (uint64_t)point->value[ITEMS], width = (uint64_t)point->value[VECTOR] * ELEMENT;
    if (variant == CUB_WARP || variant == CUB_BLOCK || variant == CUB_DEVICE || block_index >= s->grid[0])
        return false;
    uint64_t full = w.accesses / w.tile; /* tiles; this block's are every grid-th */
    uint64_t rounds = full > block_index ? (full - block_index - 1) / s->grid[0] + 1 : 0;
    struct cursor cursor = {.at = index, .wanted = index, .out = out};
    if (index < rounds * items) {
        uint64_t tile = block_index + index / items * s->grid[0];
        uint64_t k = tile * w.tile + index % items * s->block[0] + thread;
        uint64_t body = ((uint64_t)point->value[OFFSET] + w.head) * ELEMENT;
        return emit(&cursor, ACCESS_GLOBAL, false, 0, (uint32_t)width, body + k * width, width, 32);
    }
    cursor.at = (uint32_t)(rounds * items);
    return emit_edges(&cursor, point, s, block_index, thread) ||
           emit_block_sum(&cursor, variant, thread, s->block[0]) ||
           emit(&cursor, ACCESS_GLOBAL, true, 2, ELEMENT, block_index * ELEMENT, 0, thread == 0) ||
           emit_shared(&cursor, true, 0, 0, thread == 0) /* whether it was the last, told to the block */ ||
           emit_shared(&cursor, false, 0, 0, 32) ||
           (block_index == s->grid[0] - 1 && emit_final(&cursor, variant, s, thread));
}

const struct family family_reduce = {
    .space = {.kernel = "reduce", .axes = axes, .count = AXES},
    .summary = "the sum of an array: registers against shared memory, own code against CUB's",
    .data_axes = FAMILY_AXIS(SIZE) | FAMILY_AXIS(DTYPE) | FAMILY_AXIS(OFFSET),
    .source = reduce_source,
    .claims = reduce_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .access = access_of,
};
