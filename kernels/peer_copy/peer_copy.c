/* peer_copy - copies between the memories of two devices: by the driver's copy engines, by loads from the
 * peer, by stores to it, and by bulk copies through shared memory either way. Device code: peer_copy.cu.
 *
 * The first device of the pair runs the copy: `load` and `bulk_load` pull, the others push. With direction
 * both_ways the other device does the same at the same time with buffers of its own. Each byte that crosses
 * the link counts once: pulled ones as read, pushed ones as written. On the pair `local` both ends are in one
 * device's memory: the same code without a link. */
#include "family/rules.h"

#include <stdio.h>

extern const char peer_copy_source[], peer_copy_claims[];

static const char *const variants[] = {"copy_engine", "load", "store", "bulk_load", "bulk_store", NULL};
enum variant { COPY_ENGINE, LOAD, STORE, BULK_LOAD, BULK_STORE };
static const char *const directions[] = {"one_way", "both_ways", NULL};
enum direction { ONE_WAY, BOTH_WAYS };

enum { VARIANT, PAIR, DIRECTION, SIZE, WIDTH, ITEMS, BLOCKS, STAGES, TILE_BYTES, SETS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "load"),
    [PAIR] = AXIS_PAIR,
    [DIRECTION] = AXIS_WORDS("direction", "one device copies, or both at once", "one_way", directions, false),
    [SIZE] = AXIS_SIZE("256MiB"),
    [WIDTH] = AXIS_NUMBER("width", "bytes", "bytes of a thread's access", "16", 1, 32, true),
    [ITEMS] = AXIS_NUMBER("items", "accesses", "loads in flight per thread", "4", 1, 16, true),
    [BLOCKS] = AXIS_NUMBER("blocks", "blocks", "blocks, one per multiprocessor; 0: as many as there are", "0",
                           0, 1024, false),
    [STAGES] = AXIS_NUMBER("stages", "tiles", "bulk copies in flight in a block", "4", 2, 16, true),
    [TILE_BYTES] = {.name = "tile_bytes",
                    .kind = AXIS_BYTES,
                    .unit = "bytes",
                    .summary = "bytes of one bulk copy",
                    .standard = "8KiB",
                    .least = 128,
                    .most = 32 << 10,
                    .compiled = true},
    [SETS] = AXIS_SETS,
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

enum { THREADS = 512, BULK_THREADS = 32, BARRIER_BYTES = 8, BULK_STEP = 16 };

static bool is_bulk(const struct point *point)
{
    return point->value[VARIANT] == BULK_LOAD || point->value[VARIANT] == BULK_STORE;
}

static bool is_pull(const struct point *point)
{
    return point->value[VARIANT] == LOAD || point->value[VARIANT] == BULK_LOAD;
}

static uint64_t bulk_shared(const struct point *point)
{
    return (uint64_t)point->value[STAGES] * ((uint64_t)point->value[TILE_BYTES] + BARRIER_BYTES);
}

/* The first axis that the variant ignores and that has another value than the default; -1: none. */
static int ignored_axis(const struct point *point)
{
    static const int of_loads[] = {WIDTH, ITEMS}, of_bulk[] = {STAGES, TILE_BYTES},
                     of_kernels[] = {BLOCKS, ARCH};
    const struct {
        const int *axis;
        bool used;
    } pairs[] = {{of_loads, point->value[VARIANT] == LOAD || point->value[VARIANT] == STORE},
                 {of_bulk, is_bulk(point)},
                 {of_kernels, point->value[VARIANT] != COPY_ENGINE}};
    for (int i = 0; i < 6; i++) {
        int axis = pairs[i / 2].axis[i % 2];
        if (!pairs[i / 2].used && point->value[axis] != space_standard(point->space, axis))
            return axis;
    }
    return -1;
}

static const char *skip_bulk(const struct point *point, const struct target *target, char *reason,
                             size_t size)
{
    uint64_t room = target->shared_bytes;
    if (point->value[TILE_BYTES] % BULK_STEP)
        return "bulk copies move multiples of 16 bytes";
    if (room && bulk_shared(point) > room) {
        snprintf(reason, size, "%d stages need %llu bytes of shared memory; a block has %llu",
                 (int)point->value[STAGES], (unsigned long long)bulk_shared(point), (unsigned long long)room);
        return reason;
    }
    return target->host ? NULL : rules_capability("a bulk copy", 90, point, target, reason, size);
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    int ignored = ignored_axis(point);
    if (ignored >= 0) {
        snprintf(reason, size, "%s has no %s to choose", variants[point->value[VARIANT]], axes[ignored].name);
        return reason;
    }
    return is_bulk(point) ? skip_bulk(point, target, reason, size)
                          : rules_vector(point->value[WIDTH], DTYPE_U8, reason, size);
}

/* Number of blocks, at most one per access or tile. */
static uint32_t blocks_of(const struct point *point, const struct target *target, uint64_t most)
{
    uint64_t wanted =
        (uint64_t)point->value[BLOCKS] ? (uint64_t)point->value[BLOCKS] : rules_multiprocessors(target);
    if (wanted < most)
        return (uint32_t)wanted;
    return most ? (uint32_t)most : 1;
}

enum { IN, OUT, BACK_IN, BACK_OUT }; /* buffers */

/* Accesses or bulk copies move whole `step`s; single threads copy the rest. */
static struct setup kernel_setup(const struct point *point, const struct target *target, struct setup s)
{
    uint64_t bytes = (uint64_t)point->value[SIZE], width = (uint64_t)point->value[WIDTH];
    uint64_t step = is_bulk(point) ? BULK_STEP : width;
    uint64_t round =
        is_bulk(point) ? (uint64_t)point->value[TILE_BYTES] : width * THREADS * (uint64_t)point->value[ITEMS];
    s.entry = "peer_copy";
    s.argument[0] = (struct argument){ARGUMENT_BUFFER, IN};
    s.argument[1] = (struct argument){ARGUMENT_BUFFER, OUT};
    s.argument[2] = (struct argument){ARGUMENT_U64, bytes / step * step};
    s.argument[3] = (struct argument){ARGUMENT_U32, bytes % step};
    s.arguments = 4;
    s.grid[0] = blocks_of(point, target, (bytes + round - 1) / round);
    s.block[0] = is_bulk(point) ? BULK_THREADS : THREADS;
    s.shared_dynamic = is_bulk(point) ? (uint32_t)bulk_shared(point) : 0;
    return s;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM};
    /* Only bits are moved: words where there are whole ones, which are quicker to fill and to compare. */
    enum dtype dtype = point->value[SIZE] % 4 ? DTYPE_U8 : DTYPE_I32;
    uint64_t count = (uint64_t)point->value[SIZE] / dtype_size(dtype);
    bool both = point->value[DIRECTION] == BOTH_WAYS, pull = is_pull(point);
    struct setup s = {
        .engine = point->value[VARIANT] == COPY_ENGINE ? ENGINE_PEER_COPY : ENGINE_KERNEL,
        .buffer = {[IN] = buffer_input("in", dtype, count, random),
                   [OUT] = buffer_output("out", dtype, count),
                   [BACK_IN] = buffer_input("back_in", dtype, count, random),
                   [BACK_OUT] = buffer_output("back_out", dtype, count)},
        .buffers = both ? 4 : 2,
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .carveout = -1,
        .parts = both ? 2 : 1,
        .group = BACK_IN,
        .sets = rules_sets_in_l2(point->value[SETS], (both ? 4 : 2) * (uint64_t)point->value[SIZE], target),
    };
    /* the end that the first device reaches over the link; that of the second is the opposite */
    s.buffer[pull ? IN : OUT].device = 1;
    s.buffer[pull ? BACK_OUT : BACK_IN].device = 1;
    return point->value[VARIANT] == COPY_ENGINE ? s : kernel_setup(point, target, s);
}

static struct work work(const struct point *point)
{
    uint64_t bytes = (uint64_t)point->value[SIZE] * (point->value[DIRECTION] == BOTH_WAYS ? 2 : 1);
    struct work work = {.bus_bytes = point->value[PAIR] == PAIR_LOCAL ? 0 : (uint64_t)point->value[SIZE]};
    *(is_pull(point) ? &work.bytes_read : &work.bytes_written) = bytes;
    return work;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)point;
    inputs_load_range(inputs, buffer - 1, first, count, out);
}

/* The accesses of a warp: in each whole tile of its block the loads of its items, then the stores; in a last,
 * partial tile loads and stores in turn; at the end the rest of the bytes, by the first warp. */
static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    uint64_t items = (uint64_t)point->value[ITEMS], width = (uint64_t)point->value[WIDTH];
    uint64_t tile = items * THREADS, block = warp / (THREADS / 32), lane0 = warp % (THREADS / 32) * 32;
    if (s->engine != ENGINE_KERNEL || is_bulk(point))
        return false; /* bulk copies access no element */
    uint64_t n = s->argument[2].value / width, rest = s->argument[3].value, tiles = n / tile, left = n % tile;
    uint64_t whole = tiles > block ? (tiles - block - 1) / s->grid[0] + 1 : 0;
    uint64_t partial = tiles % s->grid[0] == block && lane0 < left ? (left - lane0 - 1) / THREADS + 1 : 0;
    uint64_t round = index / (2 * items), step = index % (2 * items), first, lanes = 32;
    bool store = step >= items;
    if (round < whole) {
        first = (block + round * s->grid[0]) * tile + step % items * THREADS + lane0;
    } else {
        uint64_t after = index - whole * 2 * items;
        store = after % 2;
        first = tiles * tile + after / 2 * THREADS + lane0;
        lanes = n - first;
        if (after / 2 >= partial) {
            if (warp || !rest || after / 2 > partial)
                return false;
            first = n * width;
            width = 1;
            lanes = rest;
        }
    }
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .store = store,
                           .behind = index && !store && (round >= whole || step == 0),
                           .buffer = store ? OUT : IN,
                           .width = (uint32_t)width,
                           .times = 1};
    access_evenly(out, first * width, width, lanes);
    return true;
}

static struct devices devices(const struct point *point)
{
    return rules_pair_devices(point->value[PAIR]);
}

const struct family family_peer_copy = {
    .space = {.kernel = "peer_copy", .axes = axes, .count = AXES},
    .summary = "copies between two devices: copy engine, loads, stores and bulk copies, one way and both",
    .node_exclusive = true,
    .memory = MEMORY_PEER,
    .data_axes = FAMILY_AXIS(SIZE) | FAMILY_AXIS(DIRECTION),
    .source = peer_copy_source,
    .claims = peer_copy_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .access = access_of,
    .devices = devices,
};
