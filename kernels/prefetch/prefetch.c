/* prefetch - streams an array through shared memory, with a given number of bytes in flight. Device code:
 * prefetch.cu.
 *
 * Bytes in flight per multiprocessor: stages * tile_bytes * resident. With `resident` 0 as many blocks as fit
 * are resident: resident = occupancy_theoretical * threads_sm / block_threads. */
#include "family/rules.h"

#include <stdio.h>

extern const char prefetch_source[], prefetch_claims[];

static const char *const variants[] = {"sync",    "cp_async", "pipeline_thread", "pipeline",
                                       "barrier", "bulk",     "tensor",          NULL};
enum variant { SYNC, CP_ASYNC, PIPELINE_THREAD, PIPELINE, BARRIER, BULK, TENSOR };

enum { VARIANT, SIZE, STAGES, TILE, WORK, BLOCK, RESIDENT, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "bulk"),
    [SIZE] = AXIS_SIZE("256MiB"),
    [STAGES] = AXIS_NUMBER("stages", "stages", "tiles of a block under way at once", "1", 1, 8, true),
    [TILE] = {.name = "tile_bytes",
              .kind = AXIS_BYTES,
              .unit = "bytes",
              .summary = "bytes of a tile, the unit that is asked for and waited for",
              .standard = "8KiB",
              .least = 1 << 10,
              .most = 64 << 10,
              .compiled = true},
    [WORK] = AXIS_NUMBER("work", "flops", "floating-point operations per element", "0", 0, 256, true),
    [BLOCK] = AXIS_BLOCK("256"), /* BLOCK_MAX at most */
    [RESIDENT] =
        AXIS_NUMBER("resident", "blocks", "blocks per multiprocessor; 0: as many as fit", "0", 0, 32, false),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

#define ELEMENT    UINT64_C(4) /* bytes: f32 */
#define TENSOR_ROW 1024        /* bytes of a row of the tensor map: its boxes are 256 elements wide at most */

static bool has_barriers(const struct point *point)
{
    return point->value[VARIANT] == BULK || point->value[VARIANT] == TENSOR;
}

/* Dynamic shared memory of a block: its tiles, and an mbarrier of 8 bytes for each; a block's pipeline has
 * two, and counts its threads. */
static uint64_t shared_of(const struct point *point)
{
    bool one = has_barriers(point) || point->value[VARIANT] == BARRIER;
    bool pipeline = point->value[VARIANT] == PIPELINE;
    uint64_t barriers = pipeline ? 16 : 0;
    if (one)
        barriers = 8;
    return (uint64_t)point->value[STAGES] * ((uint64_t)point->value[TILE] + barriers) + (pipeline ? 16 : 0);
}

static uint64_t elements_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / ELEMENT;
}

static uint64_t tiles_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / (uint64_t)point->value[TILE];
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Blocks that one multiprocessor holds; 0 when not even one fits. */
static uint64_t fitting(const struct point *point, const struct target *target)
{
    return rules_blocks_fitting(target, (uint64_t)point->value[BLOCK], shared_of(point));
}

static const char *skip_memory(const struct point *point, const struct target *target, char *reason,
                               size_t size)
{
    if (target->shared_bytes && shared_of(point) > target->shared_bytes)
        snprintf(reason, size, "%d stages of %lld bytes are more shared memory than a block has, %llu bytes",
                 (int)point->value[STAGES], (long long)point->value[TILE],
                 (unsigned long long)target->shared_bytes);
    else if (target->shared_sm_bytes && target->threads_sm > 0 &&
             (uint64_t)point->value[RESIDENT] > fitting(point, target))
        snprintf(reason, size, "%d blocks of this kind do not fit on a multiprocessor, which holds %d",
                 (int)point->value[RESIDENT], (int)fitting(point, target));
    else
        return NULL;
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    int needed = has_barriers(point) ? 90 : 80;
    if (target->host)
        return "a processor has no shared memory that a kernel prefetches into";
    if (rules_capability(variants[point->value[VARIANT]], needed, point, target, reason, size) ||
        rules_whole_elements(point->value[SIZE], DTYPE_F32, reason, size) ||
        rules_whole_warps(point->value[BLOCK], reason, size))
        return reason;
    if (point->value[TILE] % TENSOR_ROW)
        snprintf(reason, size, "a tile of %lld bytes is no whole number of KiB",
                 (long long)point->value[TILE]);
    else if (point->value[WORK] % 2)
        snprintf(reason, size, "%d flops are no whole fused multiply-adds, which are two each",
                 (int)point->value[WORK]);
    else if (point->value[VARIANT] == SYNC && point->value[STAGES] != 1)
        return "a synchronous copy has one stage: nothing is under way while it computes";
    else if (point->value[VARIANT] == TENSOR && !tiles_of(point))
        return "the array is smaller than one tile, and a tensor map has to have rows";
    else if (point->value[VARIANT] == TENSOR && point->value[SIZE] / TENSOR_ROW > INT32_MAX)
        return "the tensor map would have more rows than a coordinate can count, 2^31 - 1";
    else
        return skip_memory(point, target, reason, size);
    return reason;
}

static uint64_t blocks_of(const struct point *point, const struct target *target)
{
    uint64_t resident = point->value[RESIDENT] ? (uint64_t)point->value[RESIDENT] : fitting(point, target);
    uint64_t tiles = tiles_of(point);
    return least_of((resident ? resident : 1) * rules_multiprocessors(target), tiles ? tiles : 1);
}

/* Inputs in [0, 1) are multiples of 2^-24, so that 1 - x is exact. */
static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill unit = {.kind = FILL_RANDOM, .low = 0, .high = 1};
    bool tensor = point->value[VARIANT] == TENSOR;
    uint64_t block = (uint64_t)point->value[BLOCK], blocks = blocks_of(point, target);
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "prefetch",
        .buffer = {buffer_input("in", DTYPE_F32, elements_of(point), unit),
                   buffer_output("sums", DTYPE_I32, blocks * block)},
        .buffers = 2,
        .argument = {{tensor ? ARGUMENT_TENSOR : ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_U64, tiles_of(point)},
                     {ARGUMENT_U64, elements_of(point)},
                     {ARGUMENT_F32, 0xbf800000},  /* a = -1 */
                     {ARGUMENT_F32, 0x3f800000}}, /* b = 1 */
        .arguments = 7,
        .tensor = {{.buffer = 0,
                    .rows = tiles_of(point) * (uint64_t)point->value[TILE] / TENSOR_ROW,
                    .columns = TENSOR_ROW / ELEMENT,
                    .box_rows = (uint32_t)point->value[TILE] / TENSOR_ROW,
                    .box_columns = TENSOR_ROW / ELEMENT}},
        .grid = {(uint32_t)blocks, 1, 1},
        .block = {(uint32_t)block, 1, 1},
        .shared_dynamic = (uint32_t)shared_of(point),
        .carveout = 100,
    };
}

/* The sums are there to be verified: their bytes, a few per thousand of what is read at most, do not count.
 */
static struct work work(const struct point *point)
{
    uint64_t n = elements_of(point);
    return (struct work){.bytes_read = n * ELEMENT, .flops = n * (uint64_t)point->value[WORK]};
}

/* ---- The reference ---- */

struct summing {
    const struct point *point;
    const struct inputs *inputs;
    uint64_t first; /* output */
    uint32_t *out;
};

enum { PORTION = 256, BLOCK_MAX = 1024 };

/* Add the bits of neighbouring elements after the chain (x -> 1 - x, once per fused multiply-add), each to
 * its own sum. */
static void add_bits(const struct summing *s, uint64_t first, uint64_t count, uint32_t *restrict sums)
{
    _Alignas(64) float x[PORTION] = {0};
    uint32_t bits[PORTION];
    for (uint64_t done = 0; done < count; done += PORTION) {
        uint64_t n = count - done < PORTION ? count - done : PORTION;
        inputs_load_range(s->inputs, 0, first + done, n, x);
        if (s->point->value[WORK] / 2 % 2)
            for (int i = 0; i < PORTION; i++)
                x[i] = 1 - x[i];
        memcpy(bits, x, n * sizeof *bits);
        for (uint64_t i = 0; i < n; i++)
            sums[done + i] += bits[i];
    }
}

/* What threads [from, to) of a block sum up: their vectors of its tiles, then their share of the rest. A
 * block reads each tile mirrored, so that the vectors of neighbouring threads are neighbours, in the opposite
 * order. */
static void sum_threads(const struct summing *s, uint64_t own, uint64_t from, uint64_t to, uint32_t *out)
{
    const struct setup *setup = s->inputs->setup;
    uint64_t block = setup->block[0], grid = setup->grid[0], tiles = tiles_of(s->point);
    uint64_t tile_elements = (uint64_t)s->point->value[TILE] / ELEMENT, n = elements_of(s->point);
    uint32_t sums[4 * BLOCK_MAX] = {0};
    for (uint64_t tile = own; tile < tiles; tile += grid)
        for (uint64_t at = 4 * (block - to); at < tile_elements; at += 4 * block)
            add_bits(s, tile * tile_elements + at, least_of(4 * (to - from), tile_elements - at), sums);
    for (uint64_t i = 0; i < to - from; i++) {
        const uint32_t *vector = &sums[4 * (to - from - 1 - i)];
        out[i] = vector[0] + vector[1] + vector[2] + vector[3];
    }
    for (uint64_t i = tiles * tile_elements + own * block + from; i < n; i += grid * block)
        add_bits(s, i, least_of(to - from, n - i), out);
}

static void sum_some(void *context, uint64_t first, uint64_t count)
{
    const struct summing *s = context;
    uint64_t block = s->inputs->setup->block[0];
    for (uint64_t i = first; i < first + count;) {
        uint64_t thread = s->first + i, from = thread % block, to = least_of(block, from + first + count - i);
        sum_threads(s, thread / block, from, to, s->out + i);
        i += to - from;
    }
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    struct summing summing = {point, inputs, first, out};
    inputs_parallel(inputs, count, 256, sum_some, &summing);
}

/* ---- Accesses ---- */

/* Lanes of a warp with one 16-byte vector each of round `round` of a tile; `mirrored`: as they are used. */
static void vectors_of(const struct point *point, uint64_t warp_in_block, uint64_t round, bool mirrored,
                       uint64_t start, struct access *out)
{
    uint64_t block = (uint64_t)point->value[BLOCK], vectors = (uint64_t)point->value[TILE] / 16;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint64_t thread = warp_in_block * 32 + lane;
        uint64_t vector = round * block + (mirrored ? block - 1 - thread : thread);
        if (vector >= vectors)
            continue;
        out->active |= 1u << lane;
        out->address[lane] = start + vector * 16;
    }
}

/* What the load and store units see: a tile's loads from global memory (sync; asynchronous copies are counted
 * apart, and bulk copies pass these units by), its stores to shared memory, its loads from there; then the
 * rest of the array and the sum. A tile's accesses are those of every tile of the block, but for where it
 * starts: tiles are whole KiB, so that sectors and banks are the same. */
static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    uint64_t block = s->block[0], warps = block / 32, in_block = warp % warps, own = warp / warps;
    uint64_t tile = (uint64_t)point->value[TILE], tiles = tiles_of(point), vectors = tile / 16;
    uint64_t rounds = (vectors + block - 1) / block, grid = s->grid[0];
    uint64_t turns = own < tiles ? (tiles - own - 1) / grid + 1 : 0;
    bool sync = point->value[VARIANT] == SYNC;
    uint64_t phases = sync ? 3 : 1, step = index;
    if (!turns)
        phases = 0;
    *out = (struct access){.width = 16, .times = turns};
    for (uint64_t i = 0; i < phases * rounds;
         i++) { /* rounds that no lane of this warp takes part in are none */
        uint64_t phase = sync ? i / rounds : 2;
        out->space = phase == 0 ? ACCESS_GLOBAL : ACCESS_SHARED;
        out->store = phase == 1;
        out->active = 0;
        vectors_of(point, in_block, i % rounds, phase == 2, phase == 0 ? own * tile : 0, out);
        if (out->active && step-- == 0)
            return true;
    }
    uint64_t rest = tiles * tile / ELEMENT, n = elements_of(point), thread = own * block + in_block * 32;
    uint64_t left = n > rest + thread ? (n - rest - thread - 1) / (grid * block) + 1 : 0;
    if (step > left)
        return false;
    *out = (struct access){
        .space = ACCESS_GLOBAL, .store = step == left, .buffer = step == left, .width = ELEMENT, .times = 1};
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint64_t element = step == left ? thread + lane : rest + step * grid * block + thread + lane;
        if (step < left && element >= n)
            continue;
        out->active |= 1u << lane;
        out->address[lane] = element * ELEMENT;
    }
    return true;
}

const struct family family_prefetch = {
    .space = {.kernel = "prefetch", .axes = axes, .count = AXES},
    .summary = "stream through shared memory: synchronous, asynchronous and bulk copies, bytes in flight",
    /* Each thread's sum depends on how many there are, too: that is the output's length. */
    .data_axes = FAMILY_AXIS(SIZE) | FAMILY_AXIS(TILE) | FAMILY_AXIS(WORK) | FAMILY_AXIS(BLOCK),
    .source = prefetch_source,
    .claims = prefetch_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* sums of bits do not depend on their order; 1 - x is exact */
    .reference = reference,
    .access = access_of,
};
