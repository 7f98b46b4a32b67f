/* stream - the loops of STREAM and BabelStream. Device code: stream.cu.
 *
 * `size`: bytes of each array, as in those programs. */
#include "family/rules.h"

#include <math.h>
#include <stdio.h>

extern const char stream_source[], stream_claims[];

static const char *const variants[] = {"copy", "mul", "add", "triad", "dot", NULL};
enum variant { COPY, MUL, ADD, TRIAD, DOT };

enum { VARIANT, SIZE, DTYPE, VECTOR, BLOCK, ITEMS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "triad"),
    [SIZE] = AXIS_SIZE("256MiB"),
    [DTYPE] = AXIS_DTYPE("f64"),
    [VECTOR] = AXIS_VECTOR("1"),
    [BLOCK] = AXIS_BLOCK("1024"),
    [ITEMS] = AXIS_ITEMS("4"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};
enum { A, B, OUT, PARTIAL, DONE, BUFFERS }; /* `dot` alone has the last two */

#define SCALAR 0.4

/* Threads that stay on a multiprocessor whatever the kernel's registers: see its launch bounds. */
#define RESIDENT_THREADS 1024

/* Limit of the kernels with 32-bit indices, in accesses. */
#define SMALL_ACCESSES (UINT64_C(1) << 31)

static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / dtype_size((enum dtype)point->value[DTYPE]);
}

static uint64_t accesses(const struct point *point)
{
    return elements(point) / (uint64_t)point->value[VECTOR];
}

static uint64_t tile_of(const struct point *point)
{
    return (uint64_t)(point->value[BLOCK] * point->value[ITEMS]);
}

static uint64_t covering_blocks(const struct point *point)
{
    return (accesses(point) + tile_of(point) - 1) / tile_of(point);
}

static bool has_two_inputs(const struct point *point)
{
    return point->value[VARIANT] >= ADD;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    (void)target;
    if (dtype != DTYPE_F32 && dtype != DTYPE_F64)
        snprintf(reason, size, "these loops are over f32 and f64, not %s", dtype_words[dtype]);
    else if (rules_whole_elements(point->value[SIZE], dtype, reason, size) ||
             rules_vector(point->value[VECTOR], dtype, reason, size) ||
             (point->value[VARIANT] == DOT && rules_whole_warps(point->value[BLOCK], reason, size)))
        return reason;
    else if (elements(point) % (uint64_t)point->value[VECTOR])
        snprintf(reason, size, "%llu elements are no whole number of vectors of %d",
                 (unsigned long long)elements(point), (int)point->value[VECTOR]);
    else
        return point->value[VARIANT] == DOT ? NULL : rules_grid(covering_blocks(point), reason, size);
    return reason;
}

static struct setup dot_setup(const struct point *point, const struct target *target, struct setup s)
{
    uint64_t each = RESIDENT_THREADS / (uint64_t)point->value[BLOCK];
    uint64_t blocks = covering_blocks(point), resident = rules_multiprocessors(target) * (each ? each : 1);
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    s.grid[0] = (uint32_t)(blocks < resident ? blocks : resident);
    s.entry = "stream";
    s.buffer[OUT] = buffer_output("sum", dtype, 1);
    s.buffer[PARTIAL] =
        (struct buffer){.name = "partial", .role = BUFFER_SCRATCH, .dtype = dtype, .count = s.grid[0]};
    s.buffer[DONE] = (struct buffer){.name = "done", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = 1};
    s.buffers = BUFFERS;
    s.argument[3] = (struct argument){ARGUMENT_U64, accesses(point)};
    s.argument[4] = (struct argument){ARGUMENT_BUFFER, PARTIAL};
    s.argument[5] = (struct argument){ARGUMENT_BUFFER, DONE};
    s.arguments = 6;
    return s;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t n = elements(point);
    bool large = accesses(point) > SMALL_ACCESSES, two = has_two_inputs(point);
    struct setup s = {
        .engine = ENGINE_KERNEL,
        .entry = large ? "stream_large" : "stream",
        .buffer = {[A] = buffer_input("a", dtype, n, random),
                   /* with one input: a second that is never read, and takes next to no room */
                   [B] = buffer_input("b", dtype, two ? n : 1, random),
                   [OUT] = buffer_output("out", dtype, n)},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, A},
                     {ARGUMENT_BUFFER, two ? B : A},
                     {ARGUMENT_BUFFER, OUT},
                     {large ? ARGUMENT_U64 : ARGUMENT_U32, accesses(point)}},
        .arguments = 4,
        .grid = {(uint32_t)covering_blocks(point), 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .carveout = -1,
    };
    return point->value[VARIANT] == DOT ? dot_setup(point, target, s) : s;
}

/* As those programs count: every array once; a multiply-add is two operations. */
static struct work work(const struct point *point)
{
    static const int inputs[] = {1, 1, 2, 2, 2}, flops[] = {0, 1, 1, 2, 2};
    uint64_t n = elements(point), size = dtype_size((enum dtype)point->value[DTYPE]);
    int variant = (int)point->value[VARIANT];
    return (struct work){.bytes_read = (uint64_t)inputs[variant] * n * size,
                         .bytes_written = variant == DOT ? size : n * size,
                         .flops = (uint64_t)flops[variant] * n};
}

/* Bit for bit but for the sum, whose order is the grid's. Products of elements uniform in [-1, 1) have
 * variance 1/9, so that the sum of k is about sqrt(k) / 3, and each addition, fused with its product, rounds
 * by that times 2^-24 or 2^-53 at most; as in reduce.c, 2^17 threads add chains of n / 2^17 and a tree adds
 * those. Eight standard deviations; what is added in f64 would not even be rounded up to 2^20 elements. */
static struct tolerance tolerance(const struct point *point)
{
    double n = (double)elements(point), chain = 1 + n / 0x1p17;
    double half = point->value[DTYPE] == DTYPE_F64 ? 0x1p-53 : 0x1p-24;
    if (point->value[VARIANT] != DOT)
        return (struct tolerance){0};
    return (struct tolerance){.absolute = 8 * half / 3 * sqrt(n * (chain / 2 + log2(n) + 1))};
}

/* Elements are whole multiples of 2^-23: sums of products are exact as integers of 2^-46. */
struct summing {
    const struct inputs *inputs;
    int64_t high, low; /* the sum is high * 2^32 + low; shared by threads: added to atomically */
};

static void sum_range(void *context, uint64_t first, uint64_t count)
{
    enum { TOGETHER = 512 };
    struct summing *s = context;
    double a[TOGETHER], b[TOGETHER];
    __int128 sum = 0;
    for (uint64_t done = 0; done < count; done += TOGETHER) {
        uint64_t n = count - done < TOGETHER ? count - done : TOGETHER;
        inputs_real_range(s->inputs, A, first + done, n, a);
        inputs_real_range(s->inputs, B, first + done, n, b);
        for (uint64_t i = 0; i < n; i++)
            sum += (__int128)(a[i] * 0x1p23) * (int64_t)(b[i] * 0x1p23);
    }
    __atomic_fetch_add(&s->high, (int64_t)(sum >> 32), __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->low, (int64_t)(sum & 0xffffffff), __ATOMIC_RELAXED);
}

static double element(const struct point *point, const struct inputs *inputs, uint64_t i)
{
    double a = inputs_real(inputs, A, i), b = has_two_inputs(point) ? inputs_real(inputs, B, i) : 0;
    bool f64 = point->value[DTYPE] == DTYPE_F64;
    switch ((enum variant)point->value[VARIANT]) {
    case COPY:
        return a;
    case MUL:
        return f64 ? SCALAR * a : (double)((float)SCALAR * (float)a);
    case ADD:
        return f64 ? a + b : (double)((float)a + (float)b);
    case TRIAD:
        return f64 ? fma(SCALAR, b, a) : (double)fmaf((float)SCALAR, (float)b, (float)a);
    case DOT:
        break;
    }
    return NAN;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    (void)buffer;
    if (point->value[VARIANT] == DOT) {
        struct summing s = {.inputs = inputs};
        if (first > 0 || count == 0)
            return; /* there is one output */
        inputs_parallel(inputs, elements(point), 1 << 18, sum_range, &s);
        dtype_store(dtype, out, ((double)s.high * 0x1p32 + (double)s.low) * 0x1p-46);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        dtype_store(dtype, (char *)out + i * dtype_size(dtype), element(point, inputs, first + i));
}

/* The loads of a warp's items, input by input within an item; then the stores. The last block has them item
 * by item, and may lack some: the requests are the same. How a dot adds up is no pattern: it is not told. */
static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    uint32_t inputs = has_two_inputs(point) ? 2 : 1, items = 0;
    uint64_t block = s->block[0], warps = (block + 31) / 32, lane0 = warp % warps * 32;
    uint64_t start = warp / warps * tile_of(point), n = accesses(point);
    while (items < (uint32_t)point->value[ITEMS] && start + items * block + lane0 < n)
        items++;
    bool store = index >= items * inputs;
    uint32_t item = store ? index - items * inputs : index / inputs;
    uint64_t width = (uint64_t)point->value[VECTOR] * dtype_size((enum dtype)point->value[DTYPE]);
    if (point->value[VARIANT] == DOT || item >= items)
        return false;
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .store = store,
                           .buffer = store ? OUT : (int)(index % inputs),
                           .width = (uint32_t)width,
                           .times = 1};
    for (uint32_t lane = 0; lane < 32 && lane0 + lane < block; lane++) {
        uint64_t k = start + item * block + lane0 + lane;
        if (k >= n)
            continue;
        out->active |= 1u << lane;
        out->address[lane] = k * width;
    }
    return out->active != 0;
}

const struct family family_stream = {
    .space = {.kernel = "stream", .axes = axes, .count = AXES},
    .summary = "the loops of STREAM and BabelStream: copy, mul, add, triad, dot",
    .source = stream_source,
    .claims = stream_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .access = access_of,
};
