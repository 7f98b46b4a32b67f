/* shared_stride - the ladder of shared-memory bank conflicts. The device code is in shared_stride.cu.
 *
 * The bytes of this family are those that lanes ask shared memory for: the bandwidth is that of shared
 * memory, all multiprocessors together. */
#include "family/rules.h"

#include <stdio.h>

extern const char shared_stride_source[], shared_stride_claims[];

static const char *const variants[] = {"read", "write", "broadcast", "ldmatrix", "stmatrix", NULL};
enum variant { READ, WRITE, BROADCAST, LDMATRIX, STMATRIX };

/* Accesses of a round; UNROLL in the device code. */
enum { UNROLL = 16 };

enum { VARIANT, STRIDE, WIDTH, BLOCK, BLOCKS, ROUNDS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "read"),
    [STRIDE] = AXIS_NUMBER("stride", "accesses",
                           "distance between neighbouring lanes' accesses, in accesses of `width`", "1", 0,
                           33, false),
    [WIDTH] = AXIS_NUMBER("width", "bytes", "bytes per access", "4", 4, 16, true),
    [BLOCK] = AXIS_BLOCK("256"),
    [BLOCKS] = AXIS_NUMBER("blocks", "blocks", "blocks in the grid; 0: as many as fit on the device", "0", 0,
                           1 << 20, false),
    [ROUNDS] = AXIS_NUMBER("rounds", "rounds",
                           "rounds of 16 accesses a thread, of all blocks together, which share them evenly",
                           "262144", 1, 1 << 24, false),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

/* Four matrices of eight rows of 16 bytes at once: lane l has the address of row l, and holds word l mod 4 of
 * row l / 4 of each. */
static bool is_matrix(const struct point *point)
{
    return point->value[VARIANT] == LDMATRIX || point->value[VARIANT] == STMATRIX;
}

static bool is_store(const struct point *point)
{
    return point->value[VARIANT] == WRITE || point->value[VARIANT] == STMATRIX;
}

static uint64_t width_of(const struct point *point)
{
    return (uint64_t)point->value[WIDTH];
}

/* Accesses of each thread of a block, when there are so many blocks: as shared_stride.cu has it. */
static uint64_t accesses_of(const struct point *point, uint64_t block, uint64_t blocks)
{
    uint64_t rounds = (uint64_t)point->value[ROUNDS];
    return (rounds / blocks + (block < rounds % blocks)) * UNROLL;
}

/* The access of a lane, counted from the start of the region. */
static uint64_t index_of(const struct point *point, uint32_t lane)
{
    uint64_t step = point->value[VARIANT] == BROADCAST ? lane / 4 : lane;
    return step * (uint64_t)point->value[STRIDE];
}

/* Words from the first access to the end of the last. */
static uint64_t words_of(const struct point *point)
{
    return (index_of(point, 31) + 1) * width_of(point) / 4;
}

/* Threads of a multiprocessor that the kernel's registers suffice for; shared_stride.cu sees to it. */
enum { THREADS_RESIDENT = 1024 };

/* Every multiprocessor gets as many blocks as it holds, all at once: no last wave leaves some of them
 * idle. */
static uint64_t blocks_of(const struct point *point, const struct target *target)
{
    uint64_t block = (uint64_t)point->value[BLOCK], rounds = (uint64_t)point->value[ROUNDS];
    uint64_t each = rules_blocks_of_threads(target, block, 4 * words_of(point), THREADS_RESIDENT);
    if (point->value[BLOCKS])
        return (uint64_t)point->value[BLOCKS];
    uint64_t blocks = each * rules_multiprocessors(target);
    return blocks < rounds ? blocks : rounds;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    int64_t width = point->value[WIDTH];
    if (target->host)
        return "shared_stride is about a GPU's shared memory, which the host has not";
    if (width != 4 && width != 8 && width != 16)
        snprintf(reason, size, "a width of %d bytes is none of 4, 8 and 16", (int)width);
    else if (is_matrix(point) && width != 16)
        return "rows of ldmatrix and stmatrix have 16 bytes: width=16";
    else if (point->value[VARIANT] == STMATRIX && !point->value[STRIDE])
        return "stmatrix with stride=0 stores different rows at one address: stride is at least 1";
    else if (point->value[BLOCKS] > point->value[ROUNDS])
        snprintf(reason, size, "%d rounds are not one for each of %d blocks", (int)point->value[ROUNDS],
                 (int)point->value[BLOCKS]);
    else if (is_matrix(point) &&
             rules_capability(variants[point->value[VARIANT]], point->value[VARIANT] == STMATRIX ? 90 : 80,
                              point, target, reason, size))
        return reason;
    else
        return rules_whole_warps(point->value[BLOCK], reason, size);
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM};
    uint64_t words = words_of(point), blocks = blocks_of(point, target);
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "shared_stride",
        .buffer = {buffer_input("in", DTYPE_I32, words, random),
                   buffer_output("out", DTYPE_I32, blocks * (uint64_t)point->value[BLOCK])},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_U32, words},
                     {ARGUMENT_U32, (uint64_t)point->value[STRIDE]},
                     {ARGUMENT_U32, (uint64_t)point->value[ROUNDS]}},
        .arguments = 5,
        .grid = {(uint32_t)blocks, 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .shared_dynamic = (uint32_t)(4 * words),
        .carveout = -1,
    };
}

static struct work work(const struct point *point)
{
    uint64_t threads = (uint64_t)point->value[BLOCK];
    uint64_t bytes = threads * (uint64_t)point->value[ROUNDS] * UNROLL * width_of(point);
    return is_store(point) ? (struct work){.bytes_written = bytes} : (struct work){.bytes_read = bytes};
}

/* Word i of those that a lane loads or stores: it holds one of a row of each matrix. After stmatrix it reads
 * a row of its own. */
static uint64_t word_of(const struct point *point, uint32_t lane, uint64_t i)
{
    const uint64_t words = width_of(point) / 4;
    if (point->value[VARIANT] == LDMATRIX)
        return index_of(point, 8 * (uint32_t)i + lane / 4) * words + lane % 4;
    return index_of(point, lane) * words + i;
}

/* How many of the words that a lane reads at the end grow with each store: the first, and of stmatrix a whole
 * row of the first matrix. */
static uint32_t grown_words(const struct point *point, uint32_t lane)
{
    if (point->value[VARIANT] == WRITE)
        return 1;
    return lane < 8 ? 4 : 0;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    uint32_t lanes[32];
    uint64_t block = (uint64_t)point->value[BLOCK], blocks = inputs->setup->grid[0];
    (void)buffer;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t sum = 0;
        for (uint64_t i = 0; i < width_of(point) / 4; i++) {
            uint32_t word;
            inputs_load(inputs, 0, word_of(point, lane, i), &word);
            sum += word;
        }
        lanes[lane] = sum;
    }
    for (uint64_t i = 0; i < count; i++) { /* blocks are whole warps: a lane is a thread's number modulo 32 */
        uint32_t sum = lanes[(first + i) % 32];
        uint32_t accesses = (uint32_t)accesses_of(point, (first + i) / block, blocks);
        uint32_t value = is_store(point) ? sum + accesses * grown_words(point, (uint32_t)((first + i) % 32))
                                         : sum * accesses;
        memcpy((char *)out + 4 * i, &value, 4);
    }
}

/* ---- access pattern ---- */

/* CUPTI's counters of shared accesses do not see ldmatrix and stmatrix. */
static void shared_accesses(const struct point *point, bool store, uint64_t times, struct access *a)
{
    *a = (struct access){.space = ACCESS_SHARED,
                         .store = store,
                         .random = is_matrix(point),
                         .width = (uint32_t)width_of(point),
                         .active = UINT32_MAX,
                         .times = times};
    for (uint32_t lane = 0; lane < 32; lane++)
        a->address[lane] = index_of(point, lane) * width_of(point);
}

/* Words first, first + 1 ... of `buffer` or, in shared memory, of the region; lanes past `count` stay idle.
 */
static void neighbours(enum access_space space, bool store, int buffer, uint64_t first, uint64_t count,
                       struct access *a)
{
    *a = (struct access){.space = space, .store = store, .buffer = buffer, .width = 4, .times = 1};
    for (uint32_t lane = 0; lane < 32 && first + lane < count; lane++) {
        a->active |= 1u << lane;
        a->address[lane] = 4 * (first + lane);
    }
}

static uint64_t accesses_of_warp(const struct point *point, const struct setup *s, uint64_t warp)
{
    return accesses_of(point, warp * 32 / s->block[0], s->grid[0]);
}

static bool access_write(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                         struct access *a)
{
    uint64_t words = width_of(point) / 4;
    const bool matrix = is_matrix(point);
    if (index < words) { /* its words of the input, one by one: they may be anywhere */
        *a = (struct access){.space = ACCESS_GLOBAL, .width = 4, .active = UINT32_MAX, .times = 1};
        for (uint32_t lane = 0; lane < 32; lane++)
            a->address[lane] = 4 * (matrix ? index_of(point, 8 * index + lane / 4) * words + lane % 4
                                           : index_of(point, lane) * words + index);
    } else if (index == words) {
        shared_accesses(point, true, accesses_of_warp(point, s, warp), a);
    } else if (index == words + 1) {
        shared_accesses(point, false, 1, a);
    } else {
        neighbours(ACCESS_GLOBAL, true, 1, warp * 32, s->buffer[1].count, a);
    }
    return index <= words + 2;
}

/* Words come from the input to shared memory, a block's threads side by side; then the reads. */
static bool access_read(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                        struct access *a)
{
    uint64_t block = (uint64_t)point->value[BLOCK], words = words_of(point), first = warp * 32 % block;
    uint64_t rounds = first < words ? (words - first - 1) / block + 1 : 0;
    if (index < 2 * rounds)
        neighbours(index % 2 ? ACCESS_SHARED : ACCESS_GLOBAL, index % 2, 0, first + index / 2 * block, words,
                   a);
    else if (index == 2 * rounds)
        shared_accesses(point, false, accesses_of_warp(point, s, warp), a);
    else
        neighbours(ACCESS_GLOBAL, true, 1, warp * 32, s->buffer[1].count, a);
    return index <= 2 * rounds + 1;
}

static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    if (warp * 32 >= s->buffer[1].count)
        return false;
    return is_store(point) ? access_write(point, s, warp, index, out)
                           : access_read(point, s, warp, index, out);
}

const struct family family_shared_stride = {
    .space = {.kernel = "shared_stride", .axes = axes, .count = AXES},
    .summary = "access shared memory at a stride: the ladder of bank conflicts, by width, and of ldmatrix "
               "and stmatrix",
    .memory = MEMORY_SHARED,
    .source = shared_stride_source,
    .claims = shared_stride_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* whole numbers modulo 2^32, in any order */
    .reference = reference,
    .access = access_of,
};
