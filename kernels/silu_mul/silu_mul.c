/* silu_mul - the gated activation of LLMs, with the vendor's transform as a baseline. Device code:
 * silu_mul.cu.
 *
 * The input has `batch` rows of 2 * d elements, x then y. The output has `batch` rows of d elements. */
#include "family/rules.h"

#include <math.h>
#include <stdio.h>

extern const char silu_mul_source[], silu_mul_claims[];

static const char *const variants[] = {"silu", "gelu", "gelu_tanh", NULL};
enum variant { SILU, GELU, GELU_TANH };
static const char *const loops[] = {"row", "elementwise", "cub_transform", "bulk", NULL};
enum loop { ROW, ELEMENTWISE, CUB_TRANSFORM, BULK };
static const char *const unrolls[] = {"1", "2", "full", NULL};
enum unroll { UNROLL_1, UNROLL_2, UNROLL_FULL };
static const char *const switches[] = {"off", "on", NULL};

enum { VARIANT, BATCH, WIDTH, DTYPE, LOOP, VECTOR, UNROLL, PDL, BLOCK, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "silu"),
    [BATCH] = AXIS_NUMBER("batch", "rows", "rows of the input", "8192", 1, INT32_MAX, false),
    [WIDTH] = AXIS_NUMBER("d", "elements", "elements of x, of y and of the output in a row", "4096", 1,
                          1 << 24, true),
    [DTYPE] = AXIS_DTYPE("f16"),
    [LOOP] = AXIS_WORDS("loop",
                        "blocks of a row each (row), or over all of the output (elementwise, bulk); or CUB's",
                        "row", loops, true),
    [VECTOR] = AXIS_NUMBER("vector", "elements",
                           "elements per access; 0: as many as rows are aligned for, at most 16 bytes", "0",
                           0, 32, true),
    [UNROLL] = AXIS_WORDS(
        "unroll", "loads first: of one access (1), of two (2), or of a thread's share of the row (full)",
        "full", unrolls, true),
    [PDL] = AXIS_WORDS("pdl", "programmatic dependent launch", "off", switches, true),
    [BLOCK] = AXIS_NUMBER("block", "threads", "threads per block; 0: chosen for d", "0", 0, 1024, true),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

/* Bytes of one access: as asked, or what every row's start is aligned to, at most 16. */
static uint64_t access_width(const struct point *point)
{
    uint64_t size = dtype_size((enum dtype)point->value[DTYPE]), row = (uint64_t)point->value[WIDTH] * size;
    if (point->value[VECTOR])
        return (uint64_t)point->value[VECTOR] * size;
    uint64_t alignment = row & (~row + 1);
    return alignment < 16 ? alignment : 16;
}

/* Accesses to one row of d elements. */
static uint64_t accesses(const struct point *point)
{
    return (uint64_t)point->value[WIDTH] * dtype_size((enum dtype)point->value[DTYPE]) / access_width(point);
}

/* Accesses that a thread has under way: of x, and as many of y. */
static uint64_t chunk_of(const struct point *point)
{
    static const uint64_t chunks[] = {[UNROLL_1] = 1, [UNROLL_2] = 2, [UNROLL_FULL] = 4};
    return chunks[point->value[UNROLL]];
}

/* Whether blocks go over the output as one array, whatever its rows. */
static bool is_whole(const struct point *point)
{
    return point->value[LOOP] == ELEMENTWISE || point->value[LOOP] == BULK;
}

/* Of those: accesses of one block, and blocks. */
static uint64_t tile_of(const struct point *point, uint64_t block)
{
    return block * chunk_of(point);
}

/* Small blocks come and go smoothly: two accesses a thread, more only when 512 threads are not enough. */
static uint64_t threads(const struct point *point)
{
    uint64_t n = accesses(point), share = n > 1024 ? (n + 511) / 512 : 2;
    uint64_t wanted = ((n + share - 1) / share + 31) / 32 * 32;
    if (point->value[BLOCK])
        return (uint64_t)point->value[BLOCK];
    if (is_whole(point))
        return 128;
    return wanted < 512 ? wanted : 512;
}

static uint64_t blocks_of(const struct point *point)
{
    uint64_t batch = (uint64_t)point->value[BATCH], tile = tile_of(point, threads(point));
    return is_whole(point) ? (batch * accesses(point) + tile - 1) / tile : batch;
}

/* The least of what 32-bit numbers of accesses have room for: CUB's are signed. */
#define ACCESSES_MAX (UINT64_C(1) << 31)

/* bulk: percent of L1 as shared memory, 64 KiB of an H100's or H200's. It is where loads land, and so bounds
 * what is under way: 42 to 56 KiB a multiprocessor with tiles of 2 to 16 KiB, since the system takes 1 KiB of
 * each block's. 48 KiB are what CUB aims at on an H200 (cub/device/dispatch/tuning/tuning_transform.cuh), and
 * what six of its blocks of 256 threads load. */
#define BULK_CARVEOUT 25

/* Bytes of x, and of y, that one block loads in bulk. */
static uint64_t bulk_bytes(const struct point *point)
{
    return tile_of(point, threads(point)) * access_width(point);
}

static const char *skip_bulk(const struct point *point, const struct target *target, char *reason,
                             size_t size)
{
    uint64_t row = accesses(point) * access_width(point);
    if (access_width(point) > 16)
        snprintf(reason, size, "an access of %d bytes to shared memory is wider than 16",
                 (int)access_width(point));
    else if (row % 16)
        snprintf(reason, size, "rows of %llu bytes are no whole number of 16 bytes, as bulk copies need",
                 (unsigned long long)row);
    else
        return rules_bulk_tile(2, bulk_bytes(point), point, target, reason, size);
    return reason;
}

static const char *skip_cub_transform(const struct point *point)
{
    static const int choices[] = {VECTOR, UNROLL, PDL, BLOCK, ARCH};
    struct point standard = point_standard(point->space);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (point->value[choices[i]] != standard.value[choices[i]])
            return "cub_transform is the vendor's loop: it has no vector, unroll, pdl, block or arch to "
                   "choose";
    if (point->value[VARIANT] != SILU ||
        (point->value[DTYPE] != DTYPE_F16 && point->value[DTYPE] != DTYPE_BF16 &&
         point->value[DTYPE] != DTYPE_F32))
        return "cub_transform was given silu of f16, bf16 and f32 only";
    return NULL;
}

/* What an architecture, or the host, may not have. */
static const char *skip_launch(const struct point *point, const struct target *target, char *reason,
                               size_t size)
{
    if (point->value[LOOP] == BULK && skip_bulk(point, target, reason, size))
        return reason;
    if (!point->value[PDL])
        return NULL;
    return target->host ? "the host back end has no programmatic dependent launch"
                        : rules_capability("programmatic dependent launch", 90, point, target, reason, size);
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    if (dtype != DTYPE_F16 && dtype != DTYPE_BF16 && dtype != DTYPE_F32 && dtype != DTYPE_E4M3 &&
        dtype != DTYPE_E5M2)
        snprintf(reason, size, "activations are computed in float from f16, bf16, f32, e4m3 and e5m2, not %s",
                 dtype_words[dtype]);
    else if (point->value[VECTOR] && rules_vector(point->value[VECTOR], dtype, reason, size))
        return reason;
    else if (point->value[VECTOR] && point->value[WIDTH] % point->value[VECTOR])
        snprintf(reason, size, "rows of %d elements are no whole number of vectors of %d",
                 (int)point->value[WIDTH], (int)point->value[VECTOR]);
    else if (point->value[LOOP] != ROW && (uint64_t)point->value[BATCH] * accesses(point) >= ACCESSES_MAX)
        return "the loops over all of the output count their accesses in 32 bits";
    else if (point->value[LOOP] == CUB_TRANSFORM)
        return skip_cub_transform(point);
    else
        return skip_launch(point, target, reason, size);
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -4, .high = 4};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t batch = (uint64_t)point->value[BATCH], d = (uint64_t)point->value[WIDTH];
    (void)target;
    return (struct setup){
        .engine = point->value[LOOP] == CUB_TRANSFORM ? ENGINE_CUB_SILU_MUL : ENGINE_KERNEL,
        .entry = "silu_mul",
        .buffer = {buffer_input("in", dtype, batch * 2 * d, random), buffer_output("out", dtype, batch * d)},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_U32, batch * accesses(point)}},
        .arguments = is_whole(point) ? 3 : 2,
        .grid = {(uint32_t)blocks_of(point), 1, 1},
        .block = {(uint32_t)threads(point), 1, 1},
        .shared_dynamic = point->value[LOOP] == BULK ? rules_bulk_shared(2, bulk_bytes(point)) : 0,
        .carveout = point->value[LOOP] == BULK ? BULK_CARVEOUT : -1,
        .programmatic_launch = point->value[PDL] != 0,
        .shape = {batch, d},
    };
}

/* Operations per element as the formulas have them, an exponential, a division and an error function each
 * counted as one, the product with y included: silu negates, exponentiates, adds, divides, multiplies; gelu
 * scales, erf, adds, halves, multiplies; gelu_tanh squares, scales, adds, scales, multiplies before a silu
 * whose negation is free. Each of them takes an exponential and a reciprocal of the special-function unit. */
static struct work work(const struct point *point)
{
    static const uint64_t operations[] = {[SILU] = 5, [GELU] = 6, [GELU_TANH] = 9};
    uint64_t count = (uint64_t)point->value[BATCH] * (uint64_t)point->value[WIDTH];
    uint64_t bytes = count * dtype_size((enum dtype)point->value[DTYPE]);
    return (struct work){.bytes_read = 2 * bytes,
                         .bytes_written = bytes,
                         .flops = count * operations[point->value[VARIANT]],
                         .special = 2 * count};
}

/* What a float result and the reference in double may differ by, for |x|, |y| <= 4.
 *
 * In float: __expf(t) is within 2 + 1.173 |t| ulp (CUDA C++ Programming Guide, intrinsic functions), as is
 * ex2.approx.ftz of log2(e) t, of which it is made, for results that are no subnormal number; its
 * argument within |t| / 2 ulp or so, with |t| <= 11.0 for gelu_tanh; __fdividef within 2 ulp; a few roundings
 * more: at most 30 ulp of 2^-23, 4e-6. gelu's formula is within 0.75e-7 of the distribution function, and one
 * more rounding of it, 0.6e-7: times |x y| <= 16 that is 2.2e-6. Narrower types then round: results on two
 * sides of a tie are one ulp apart, 2^-mantissa bits relatively at most, or the smallest subnormal
 * absolutely. */
static struct tolerance tolerance(const struct point *point)
{
    static const struct tolerance narrow[DTYPE_COUNT] = {
        [DTYPE_F16] = {.relative = 0x1p-10, .absolute = 0x1p-24},
        [DTYPE_BF16] = {.relative = 0x1p-7},
        [DTYPE_E4M3] = {.relative = 0x1p-3, .absolute = 0x1p-9},
        [DTYPE_E5M2] = {.relative = 0x1p-2, .absolute = 0x1p-16},
    };
    struct tolerance t = narrow[point->value[DTYPE]];
    t.relative += 4e-6;
    t.absolute += point->value[VARIANT] == GELU ? 4e-6 : 0;
    return t;
}

static double activate(enum variant variant, double x)
{
    if (variant == SILU)
        return x / (1 + exp(-x));
    if (variant == GELU)
        return 0.5 * x * erfc(-x * 0.70710678118654752440);
    return x / (1 + exp(-1.59576912160573071176 * (x + 0.044715 * x * x * x))); /* 2 sqrt(2 / pi) */
}

enum { PORTION = 512 }; /* elements at once: they stay in L1 */

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t d = (uint64_t)point->value[WIDTH], size = dtype_size(dtype), row = first / d, column = first % d;
    double x[PORTION], y[PORTION];
    for (uint64_t i = 0; i < count;) { /* never past the end of a row */
        uint64_t left = count - i < d - column ? count - i : d - column, n = left < PORTION ? left : PORTION;
        inputs_real_range(inputs, 0, row * 2 * d + column, n, x);
        inputs_real_range(inputs, 0, row * 2 * d + d + column, n, y);
        for (uint64_t j = 0; j < n; j++)
            x[j] = activate((enum variant)point->value[VARIANT], x[j]) * y[j];
        dtype_store_range(dtype, (char *)out + i * size, x, n);
        i += n;
        column = column + n == d ? 0 : column + n;
        row += column == 0;
    }
}

/* What a warp does in a chunk of accesses: x and y of each, then the stores. Step `step` of it, false past
 * the last. */
struct gate_step {
    bool store, y;
    uint64_t item; /* of the chunk */
};
static bool step_of(uint64_t step, uint64_t chunk, struct gate_step *out)
{
    bool store = step >= 2 * chunk;
    *out = (struct gate_step){store, !store && step & 1, store ? step - 2 * chunk : step / 2};
    return step < 3 * chunk;
}

/* Lanes below `lanes` of a step: neighbours in x, y or the output, accesses of one row after those of
 * another. */
static void gate_access(const struct point *point, struct gate_step step, uint64_t first, uint64_t lanes,
                        struct access *out)
{
    uint64_t n = accesses(point), width = access_width(point);
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .store = step.store,
                           .buffer = step.store,
                           .width = (uint32_t)width,
                           .times = 1};
    uint64_t row = first / n, next = (row + 1) * n; /* without dividing for each lane */
    if (step.store ||
        first + (lanes < 32 ? lanes : 32) <= next) { /* neighbours all: no lane is of another row */
        access_evenly(out, (step.store ? first : first + (row + step.y) * n) * width, width, lanes);
        return;
    }
    for (uint64_t lane = 0; lane < 32 && lane < lanes; lane++) {
        uint64_t k = first + lane;
        row += k == next;
        next += k == next ? n : 0;
        out->active |= 1u << lane;
        out->address[lane] = (step.store ? k : k + (row + step.y) * n) * width;
    }
}

/* row: a warp's chunks one after another, the last of which may be short. */
static bool access_row(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                       struct access *out)
{
    uint64_t n = accesses(point), block = s->block[0], chunk = chunk_of(point);
    uint64_t warps = (block + 31) / 32, row = warp / warps, lane0 = warp % warps * 32;
    uint64_t rounds = lane0 < n ? (n - lane0 + block - 1) / block : 0; /* of this warp */
    uint64_t round = index / (3 * chunk) * chunk;
    struct gate_step step;
    if (round >= rounds)
        return false;
    if (!step_of(index % (3 * chunk), rounds - round < chunk ? rounds - round : chunk, &step))
        return false;
    uint64_t at = (round + step.item) * block + lane0, left = block - lane0;
    gate_access(point, step, row * n + at, n - at < left ? n - at : left, out);
    return true;
}

/* What a lane reads of its block's tile, all x and then all y. */
static void read_tile(const struct point *point, struct gate_step step, uint64_t lane0, uint64_t block,
                      struct access *out)
{
    out->space = ACCESS_SHARED;
    access_evenly(out, step.y * bulk_bytes(point) + (step.item * block + lane0) * out->width, out->width,
                  block - lane0);
}

static bool access_whole(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                         struct access *out)
{
    uint64_t all = (uint64_t)point->value[BATCH] * accesses(point), block = s->block[0];
    uint64_t warps = (block + 31) / 32, lane0 = warp % warps * 32;
    uint64_t first = warp / warps * tile_of(point, block) + lane0;
    uint64_t rounds = first < all ? (all - first + block - 1) / block : 0, chunk = chunk_of(point);
    struct gate_step step;
    if (!step_of(index, rounds < chunk ? rounds : chunk, &step))
        return false;
    uint64_t at = first + step.item * block, left = block - lane0;
    gate_access(point, step, at, all - at < left ? all - at : left, out);
    if (point->value[LOOP] == BULK && !step.store && first - lane0 + tile_of(point, block) <= all)
        read_tile(point, step, lane0, block, out);
    return true;
}

static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    if (s->engine != ENGINE_KERNEL)
        return false;
    return is_whole(point) ? access_whole(point, s, warp, index, out)
                           : access_row(point, s, warp, index, out);
}

const struct family family_silu_mul = {
    .space = {.kernel = "silu_mul", .axes = axes, .count = AXES},
    .summary = "act(x) * y over rows that hold x, then y: a real LLM activation, with dependent launch",
    .data_axes = FAMILY_AXIS(VARIANT) | FAMILY_AXIS(BATCH) | FAMILY_AXIS(WIDTH) | FAMILY_AXIS(DTYPE),
    .source = silu_mul_source,
    .claims = silu_mul_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .access = access_of,
};
