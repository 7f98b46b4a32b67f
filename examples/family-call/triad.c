/* triad - a[i] = b[i] + 3 c[i] by a call, which queues whatever it likes: here a copy and a kernel, both in
 * launches.cu. `compile` makes triad.so. */
#include "family/rules.h" /* family/family.h, and what families have in common */

#include <stdio.h>

static const char *const variants[] = {"copy_and_add", NULL};

enum { VARIANT, SIZE, DTYPE, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "copy_and_add"),
    [SIZE] = AXIS_SIZE("64MiB"),
    [DTYPE] = AXIS_DTYPE("f32"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

enum { A, B, C, BUFFERS };

/* Elements of each array. */
static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / dtype_size((enum dtype)point->value[DTYPE]);
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    if (rules_whole_elements(point->value[SIZE], dtype, reason, size))
        return reason;
    if (dtype == DTYPE_F32 || dtype == DTYPE_F64)
        return NULL;
    snprintf(reason, size, "triad is written for f32 and f64, not %s", dtype_words[dtype]);
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    (void)target;
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t n = elements(point);
    return (struct setup){
        .engine = ENGINE_CALL,
        .buffer = {[A] = buffer_output("a", dtype, n),
                   [B] = buffer_input("b", dtype, n, random),
                   [C] = buffer_input("c", dtype, n, random)},
        .buffers = BUFFERS,
        .carveout = -1,
    };
}

static struct work work(const struct point *point)
{
    uint64_t n = elements(point), bytes = n * dtype_size((enum dtype)point->value[DTYPE]);
    return (struct work){.bytes_read = 2 * bytes, .bytes_written = bytes, .flops = 2 * n};
}

/* |b + 3 c| <= 4, so one rounding is off by at most half of 2^-22 (f32) or 2^-51 (f64). A fused multiply-add
 * rounds once, the reference twice: two such halves on one side, one on the other. */
static struct tolerance tolerance(const struct point *point)
{
    return (struct tolerance){.absolute = point->value[DTYPE] == DTYPE_F32 ? 0x1p-21 : 0x1p-50};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    for (uint64_t i = 0; i < count; i++)
        dtype_store(dtype, (char *)out + i * dtype_size(dtype),
                    inputs_real(inputs, B, first + i) + 3 * inputs_real(inputs, C, first + i));
}

/* ---- The call ---- */

/* In launches.cu; absent where there was no nvcc. */
__attribute__((weak)) const char *launches_queue(size_t size, void *a, const void *b, const void *c, size_t n,
                                                 void *stream);

static void add_on_host(const struct call *call, enum dtype dtype, uint64_t n)
{
    char *a = call->buffer[A];
    const char *b = call->buffer[B], *c = call->buffer[C];
    for (uint64_t i = 0, size = dtype_size(dtype); i < n; i++)
        dtype_store(dtype, a + i * size,
                    dtype_load(dtype, b + i * size) + 3 * dtype_load(dtype, c + i * size));
}

static int call(struct call *call)
{
    enum dtype dtype = (enum dtype)call->point->value[DTYPE];
    uint64_t n = elements(call->point);
    const char *why = NULL;
    if (!call->stream)
        add_on_host(call, dtype, n);
    else if (launches_queue)
        why = launches_queue(dtype_size(dtype), call->buffer[A], call->buffer[B], call->buffer[C], n,
                             call->stream);
    else
        why = "triad.so has no launches.cu: compile it where nvcc is";
    if (why)
        snprintf(call->reason, sizeof call->reason, "%s", why);
    return why ? -1 : 0;
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "triad", .axes = axes, .count = AXES},
    .summary = "a = b + 3 c by a copy and a kernel: bytes of the sum alone count",
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .call = call,
    .call_on_host = true,
};
