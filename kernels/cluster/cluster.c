/* cluster - latency and bandwidth of shared memory of other blocks of a cluster, barriers and multicast.
 * Device code: cluster.cu.
 *
 * A round is a fixed amount of work of each block of a cluster, and clusters take rounds until none is left.
 * The device finds out by itself how many clusters it holds at once; the grid has at least as many. A cluster
 * of one block, and a distance of 0, make the same accesses to the block's own memory. */
#include "family/rules.h"

#include <stdio.h>

#include "kernels/ring.h"

extern const char cluster_source[], cluster_claims[];

static const char *const variants[] = {"latency",      "read",      "write", "atomic", "sync",
                                       "sync_relaxed", "multicast", "bulk",  NULL};
enum variant { LATENCY, READ, WRITE, ATOMIC, SYNC, SYNC_RELAXED, MULTICAST, BULK };
static const char *const patterns[] = {"ring", "all_to_all", "broadcast", NULL};
enum pattern { RING_PATTERN, ALL_TO_ALL, BROADCAST };

/* As in the device code. */
enum { UNROLL = 16, REPEATS = 16, HOPS = 64, TILES = 256, DISTINCT = 128, STAGES = 4 };
enum { HOP = 128 /* bytes */, BARRIER_BYTES = 128, THREADS_RESIDENT = 1024, PORTABLE = 8 };

enum { VARIANT, CLUSTER, PATTERN, DISTANCE, WIDTH, SIZE, BLOCK, BLOCKS, ROUNDS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "read"),
    [CLUSTER] = AXIS_NUMBER("cluster", "blocks", "blocks of a cluster", "2", 1, 16, true),
    [PATTERN] = AXIS_WORDS("pattern", "whose memory: of one other block, of each in turn, of the first",
                           "ring", patterns, true),
    [DISTANCE] =
        AXIS_NUMBER("neighbour", "blocks",
                    "ring, latency: ranks from a block to the one whose memory it is; the ranks form a ring",
                    "1", 0, 15, false),
    [WIDTH] = AXIS_NUMBER("width", "bytes", "bytes per access", "16", 4, 16, true),
    [SIZE] = {.name = "size",
              .kind = AXIS_BYTES,
              .unit = "bytes",
              .summary = "bytes of the ring (latency) or of a tile (multicast, bulk)",
              .standard = "16KiB",
              .least = 128,
              .most = 1 << 18},
    [BLOCK] = AXIS_BLOCK("512"),
    [BLOCKS] = AXIS_NUMBER(
        "blocks", "blocks",
        "blocks in the grid, in as many whole clusters as they make; 0: as many as fit without clusters", "0",
        0, 1 << 16, false),
    [ROUNDS] = AXIS_NUMBER("rounds", "rounds",
                           "rounds of 256 accesses a thread, barriers or tiles: of all blocks together, "
                           "without a remainder that is not one for each block of a cluster",
                           "2304", 1, 1 << 20, false),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

enum { IN, COUNTER, OUT, CYCLES, BUFFERS };

static bool copies(const struct point *point)
{
    return point->value[VARIANT] >= MULTICAST;
}

static bool accesses(const struct point *point)
{
    return point->value[VARIANT] >= READ && point->value[VARIANT] <= ATOMIC;
}

static bool chases(const struct point *point)
{
    return point->value[VARIANT] == LATENCY;
}

static uint64_t shared_bytes(const struct point *point)
{
    uint64_t size = (uint64_t)point->value[SIZE];
    if (copies(point))
        return BARRIER_BYTES + STAGES * size;
    return chases(point) ? size : (uint64_t)(point->value[BLOCK] * point->value[WIDTH]);
}

/* Rounds of a cluster, of all of them together. */
static uint64_t rounds_of(const struct point *point)
{
    return (uint64_t)(point->value[ROUNDS] / point->value[CLUSTER]);
}

static uint64_t clusters_of(const struct point *point, const struct target *target)
{
    uint64_t block = (uint64_t)point->value[BLOCK], size = (uint64_t)point->value[CLUSTER];
    uint64_t each = rules_blocks_of_threads(target, block, shared_bytes(point), THREADS_RESIDENT);
    if (chases(point))
        return 1;
    if (point->value[BLOCKS])
        return (uint64_t)point->value[BLOCKS] / size;
    uint64_t clusters = each * rules_multiprocessors(target) / size;
    return clusters < rounds_of(point) ? clusters : rounds_of(point);
}

/* Values of axes that the variant does not have. */
static const char *skip_meaningless(const struct point *point)
{
    const int64_t *value = point->value;
    if (!accesses(point) && value[PATTERN] != RING_PATTERN)
        return "only read, write and atomic have a pattern to choose";
    if (!accesses(point) && value[WIDTH] != space_standard(point->space, WIDTH))
        return "only read, write and atomic have a width to choose";
    if (!chases(point) && !copies(point) && value[SIZE] != space_standard(point->space, SIZE))
        return "only latency, multicast and bulk have a size to choose";
    if (!chases(point) && (!accesses(point) || value[PATTERN] != RING_PATTERN) &&
        value[DISTANCE] != space_standard(point->space, DISTANCE))
        return "only latency and a ring have a distance to choose";
    if (chases(point) && (value[BLOCKS] || value[ROUNDS] != space_standard(point->space, ROUNDS)))
        return "one cluster chases, and has no blocks or rounds to choose";
    return NULL;
}

static const char *skip_numbers(const struct point *point, char *reason, size_t size)
{
    const int64_t *value = point->value;
    int cluster = (int)value[CLUSTER];
    if (value[WIDTH] != 4 && value[WIDTH] != 8 && value[WIDTH] != 16)
        snprintf(reason, size, "a width of %d bytes is none of 4, 8 and 16", (int)value[WIDTH]);
    else if (value[VARIANT] == ATOMIC && value[WIDTH] != 4)
        return "atomic additions here are of 4 bytes";
    else if (chases(point) && !ring_is_power_of_two((uint64_t)value[SIZE]))
        return "the ring's order needs a power of two of slots";
    else if (value[ROUNDS] < cluster)
        snprintf(reason, size, "%d rounds are not one for each block of a cluster of %d", (int)value[ROUNDS],
                 cluster);
    else if (value[BLOCKS] && value[BLOCKS] < cluster)
        snprintf(reason, size, "%d blocks are no cluster of %d", (int)value[BLOCKS], cluster);
    else if (copies(point) && value[SIZE] % (16 * cluster))
        snprintf(reason, size, "a tile of %d bytes is no whole number of 16 bytes for each of %d blocks",
                 (int)value[SIZE], cluster);
    else if (copies(point) && value[BLOCK] < 64)
        return "one warp asks for tiles, and another one waits for them: a block has at least 64 threads";
    else
        return NULL;
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    const char *why = skip_meaningless(point);
    int capability = rules_code_capability(point, target);
    if (target->host)
        return "cluster is about a GPU's shared memory, which the host has not";
    if (rules_capability("a cluster", 90, point, target, reason, size) ||
        rules_whole_warps(point->value[BLOCK], reason, size))
        return reason;
    if (capability >= 110 && point->value[CLUSTER] > PORTABLE)
        return "clusters of more than 8 blocks are known of compute capability 9.0 and 10.0 alone";
    if (capability >= 120 && point->value[VARIANT] == MULTICAST)
        return "compute capability 12.0 has no multicast instruction: the assembler calls a routine instead";
    why = why ? why : skip_numbers(point, reason, size);
    if (why)
        return why;
    if (target->shared_bytes && shared_bytes(point) + 16 > target->shared_bytes) {
        snprintf(reason, size, "a block needs %llu bytes of shared memory, which has %llu",
                 (unsigned long long)shared_bytes(point) + 16, (unsigned long long)target->shared_bytes);
        return reason;
    }
    return NULL;
}

static struct buffer input_of(const struct point *point)
{
    static const struct fill random = {.kind = FILL_RANDOM};
    uint64_t size = (uint64_t)point->value[SIZE];
    if (chases(point))
        return buffer_input("ring", DTYPE_I32, size / HOP, ring_fill(size, HOP, 1));
    return buffer_input("in", DTYPE_I32,
                        copies(point) ? DISTINCT * size / 4
                                      : (uint64_t)(point->value[BLOCK] * point->value[WIDTH] / 4),
                        random);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    uint64_t cluster = (uint64_t)point->value[CLUSTER], size = (uint64_t)point->value[SIZE];
    uint64_t timed = rounds_of(point) * REPEATS;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "cluster",
        .buffer = {[IN] = input_of(point),
                   [COUNTER] = {.name = "counter", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = 1},
                   [OUT] = buffer_output(
                       "out", DTYPE_I32,
                       chases(point) ? 1 : rounds_of(point) * cluster * (uint64_t)point->value[BLOCK]),
                   [CYCLES] = {.name = "cycles",
                               .role = BUFFER_REPORT,
                               .dtype = DTYPE_I32,
                               .count = chases(point) || timed > RING_GROUPS ? RING_GROUPS : timed}},
        .buffers = BUFFERS,
        .argument = {{ARGUMENT_BUFFER, IN},
                     {ARGUMENT_BUFFER, COUNTER},
                     {ARGUMENT_BUFFER, OUT},
                     {ARGUMENT_BUFFER, CYCLES},
                     {ARGUMENT_U32, rounds_of(point)},
                     {ARGUMENT_U32, chases(point) ? HOP : size},
                     {ARGUMENT_U32, size / HOP},
                     {ARGUMENT_U32, (uint64_t)point->value[DISTANCE]},
                     {ARGUMENT_U32, 0}},
        .arguments = 9,
        .grid = {(uint32_t)(clusters_of(point, target) * cluster), 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .shared_dynamic = (uint32_t)shared_bytes(point),
        .carveout = -1,
    };
}

/* Bytes that threads load or store, that arrive in shared memory of all blocks, or that tell the next block
 * of a barrier. */
static struct work work(const struct point *point)
{
    uint64_t rounds = rounds_of(point) * (uint64_t)point->value[CLUSTER],
             threads = rounds * (uint64_t)point->value[BLOCK];
    uint64_t bytes = threads * UNROLL * REPEATS * (uint64_t)point->value[WIDTH];
    switch ((enum variant)point->value[VARIANT]) {
    case LATENCY:
        return (struct work){.bytes_read = (uint64_t)RING_GROUPS * HOPS * 8, .bytes_written = 4};
    case READ:
        return (struct work){.bytes_read = bytes};
    case WRITE:
        return (struct work){.bytes_written = bytes};
    case ATOMIC:
        return (struct work){.bytes_written = bytes, .flops = threads * UNROLL * REPEATS};
    case SYNC:
    case SYNC_RELAXED:
        return (struct work){.bytes_written = 4 * threads};
    default:
        return (struct work){.bytes_read = rounds * TILES * (uint64_t)point->value[SIZE]};
    }
}

/* ---- reference: what thread `thread` of block `rank` writes in round `number` ---- */

static uint32_t word_of(const struct inputs *inputs, uint64_t index)
{
    uint32_t word;
    inputs_load(inputs, IN, index, &word);
    return word;
}

static uint32_t sum_of_words(const struct point *point, const struct inputs *inputs, uint64_t thread)
{
    uint64_t words = (uint64_t)point->value[WIDTH] / 4;
    uint32_t sum = 0;
    for (uint64_t i = 0; i < words; i++)
        sum += word_of(inputs, thread * words + i);
    return sum;
}

/* Whose memory access `i` of a row of block `rank` goes to. */
static uint32_t owner_of(const struct point *point, uint32_t rank, uint32_t i)
{
    uint32_t cluster = (uint32_t)point->value[CLUSTER];
    switch ((enum pattern)point->value[PATTERN]) {
    case RING_PATTERN:
        return (rank + (uint32_t)point->value[DISTANCE]) % cluster;
    case ALL_TO_ALL:
        return (rank + i) % cluster;
    default:
        return 0;
    }
}

/* The sum of the ranks of the blocks whose memory a block reads in a row of UNROLL accesses. */
static uint32_t sum_of_owners(const struct point *point, uint32_t rank)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < UNROLL; i++)
        sum += owner_of(point, rank, i);
    return sum;
}

static uint32_t sum_of_tiles(const struct point *point, const struct inputs *inputs, uint32_t number,
                             uint64_t thread)
{
    uint64_t words = (uint64_t)point->value[SIZE] / 4, block = (uint64_t)point->value[BLOCK];
    uint32_t sum = 0;
    for (uint64_t word = thread; word < STAGES * words; word += block) {
        uint64_t tile = (number * UINT64_C(7) + TILES - STAGES + word / words) % DISTINCT;
        sum += word_of(inputs, tile * words + word % words);
    }
    return sum;
}

static uint32_t result_of(const struct point *point, const struct inputs *inputs, uint32_t number,
                          uint32_t rank, uint64_t thread)
{
    uint32_t cluster = (uint32_t)point->value[CLUSTER], each = UNROLL * REPEATS;
    uint32_t words = (uint32_t)point->value[WIDTH] / 4;
    bool broadcast = point->value[PATTERN] == BROADCAST;
    switch ((enum variant)point->value[VARIANT]) {
    case READ:
        return each * sum_of_words(point, inputs, thread) + REPEATS * words * sum_of_owners(point, rank);
    case WRITE:
        return broadcast && rank ? 0 : sum_of_words(point, inputs, thread);
    case ATOMIC:
        if (broadcast)
            each = rank ? 0 : cluster * each;
        return each * sum_of_words(point, inputs, thread);
    case SYNC:
    case SYNC_RELAXED:
        return word_of(inputs, thread * words) + number + (rank + cluster - 1) % cluster;
    default:
        return sum_of_tiles(point, inputs, number, thread);
    }
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    uint64_t block = (uint64_t)point->value[BLOCK], cluster = (uint64_t)point->value[CLUSTER];
    (void)buffer;
    for (uint64_t i = first; i < first + count; i++) {
        uint32_t value = chases(point) ? ring_chase(inputs, IN, (uint64_t)RING_GROUPS * HOPS, HOP, 1)
                                       : result_of(point, inputs, (uint32_t)(i / block / cluster),
                                                   (uint32_t)(i / block % cluster), i % block);
        memcpy((char *)out + 4 * (i - first), &value, 4);
    }
}

/* ---- accesses to the memory of other blocks. Which block takes which round is not known before the run: the
 * first one stands for all, because only totals are counted. ---- */

/* Accesses of warps with one number in their block to other blocks, in the row of UNROLL of all blocks of a
 * cluster. */
static uint64_t remote_accesses(const struct point *point)
{
    uint64_t cluster = (uint64_t)point->value[CLUSTER], remote = 0;
    for (uint64_t rank = 0; rank < cluster; rank++)
        for (uint64_t i = 0; i < UNROLL; i++)
            remote += owner_of(point, (uint32_t)rank, (uint32_t)i) != rank;
    return remote;
}

/* Rounds handed out: one thread tells the number to each block, and each cluster asks once more than it has
 * rounds. */
static uint64_t handouts(const struct point *point, const struct setup *s)
{
    return rounds_of(point) + s->grid[0] / (uint64_t)point->value[CLUSTER];
}

static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    bool rounds = index == 0;
    uint64_t width = (uint64_t)point->value[WIDTH];
    if ((point->value[VARIANT] != READ && point->value[VARIANT] != WRITE) || warp >= s->block[0] / 32 ||
        index > (warp == 0))
        return false;
    *out = (struct access){.space = ACCESS_CLUSTER,
                           .store = !rounds || point->value[VARIANT] == WRITE,
                           .width = rounds ? (uint32_t)width : 4,
                           .times = rounds ? rounds_of(point) * REPEATS * remote_accesses(point)
                                           : handouts(point, s) * ((uint64_t)point->value[CLUSTER] - 1)};
    access_evenly(out, rounds ? warp * 32 * width : 0, width, rounds ? 32 : 1);
    return true;
}

static void observe(const struct point *point, const struct setup *s, const void *data,
                    struct observation *out)
{
    if (chases(point) || point->value[VARIANT] == SYNC || point->value[VARIANT] == SYNC_RELAXED)
        ring_observe_groups(data, (int)s->buffer[CYCLES].count, chases(point) ? HOPS : UNROLL, out);
}

const struct family family_cluster = {
    .space = {.kernel = "cluster", .axes = axes, .count = AXES},
    .summary = "thread-block clusters: shared memory of other blocks, barriers of the cluster and multicast",
    .memory = MEMORY_NONE,
    .materialise = true,
    .source = cluster_source,
    .claims = cluster_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .access = access_of,
    .observe = observe,
};
