/* rmsnorm - a family whose launches are a kernel that warpsweep compiles (launch=kernel), the same kernel in
 * a call (launch=call), or a call of a memset and three kernels with a workspace (launch=staged). `build`
 * makes the shared object with nvcc. */
#include "family/rules.h"

#include <math.h>
#include <stdio.h>

#define EPSILON 1e-5f

static const char *const variants[] = {"rmsnorm", NULL};
static const char *const launches[] = {"kernel", "call", "staged", NULL};
enum launch { KERNEL, CALL, STAGED };

enum { VARIANT, LAUNCH, ROWS, COLUMNS, DTYPE, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "rmsnorm"),
    [LAUNCH] = AXIS_WORDS("launch", "one kernel, the same in a call, or a call of three kernels", "staged",
                          launches, false),
    [ROWS] = AXIS_NUMBER("rows", "", "rows of the arrays", "2048", 1, 65535, false),
    [COLUMNS] = AXIS_NUMBER("columns", "", "elements of a row", "4096", 1, 1 << 20, false),
    [DTYPE] = AXIS_DTYPE("f16"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

enum { X, WEIGHT, Y };

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target, (void)reason, (void)size;
    int64_t dtype = point->value[DTYPE];
    return dtype == DTYPE_F32 || dtype == DTYPE_F16 || dtype == DTYPE_BF16
               ? NULL
               : "rmsnorm is written for f32, f16 and bf16";
}

static struct setup setup(const struct point *point, const struct target *target)
{
    (void)target;
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1},
                             factors = {.kind = FILL_RANDOM, .low = 0.5, .high = 1.5};
    static const float epsilon = EPSILON;
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t rows = (uint64_t)point->value[ROWS], columns = (uint64_t)point->value[COLUMNS];
    struct setup setup = {
        .engine = point->value[LAUNCH] == KERNEL ? ENGINE_KERNEL : ENGINE_CALL,
        .entry = "rmsnorm",
        .buffer = {buffer_input("x", dtype, rows * columns, random),
                   buffer_input("weight", dtype, columns, factors),
                   buffer_output("y", dtype, rows * columns)},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, X},
                     {ARGUMENT_BUFFER, WEIGHT},
                     {ARGUMENT_BUFFER, Y},
                     {ARGUMENT_U32, columns},
                     {ARGUMENT_F32, 0}},
        .arguments = 5,
        .grid = {(uint32_t)rows, 1, 1},
        .block = {256, 1, 1},
        .carveout = -1,
    };
    memcpy(&setup.argument[4].value, &epsilon, sizeof epsilon);
    return setup;
}

static struct work work(const struct point *point)
{
    uint64_t rows = (uint64_t)point->value[ROWS], columns = (uint64_t)point->value[COLUMNS];
    uint64_t size = dtype_size((enum dtype)point->value[DTYPE]);
    return (struct work){.bytes_read = (rows + 1) * columns * size,
                         .bytes_written = rows * columns * size,
                         .flops = 4 * rows * columns};
}

/* Twice the rounding to the type. Of f32 the sum of squares is in another order: its error grows with the
 * terms of a thread. */
static struct tolerance tolerance(const struct point *point)
{
    switch (point->value[DTYPE]) {
    case DTYPE_F32:
        return (struct tolerance){.relative = 0x1p-16};
    case DTYPE_F16:
        return (struct tolerance){.relative = 0x1p-10, .absolute = 0x1p-24};
    default:
        return (struct tolerance){.relative = 0x1p-7};
    }
}

enum { PORTION = 1024 };

static double scale_of_row(const struct inputs *inputs, uint64_t row, uint64_t columns)
{
    double x[PORTION], sum = 0;
    for (uint64_t first = 0; first < columns; first += PORTION) {
        uint64_t count = columns - first < PORTION ? columns - first : PORTION;
        inputs_real_range(inputs, X, row * columns + first, count, x);
        for (uint64_t i = 0; i < count; i++)
            sum += x[i] * x[i];
    }
    return 1 / sqrt(sum / (double)columns + EPSILON);
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t columns = (uint64_t)point->value[COLUMNS];
    double x[PORTION], weight[PORTION], scale = 0;
    for (uint64_t done = 0, some; done < count; done += some) {
        uint64_t row = (first + done) / columns, column = (first + done) % columns;
        some = columns - column < count - done ? columns - column : count - done;
        some = some < PORTION ? some : PORTION;
        if (!done || !column)
            scale = scale_of_row(inputs, row, columns);
        inputs_real_range(inputs, X, first + done, some, x);
        inputs_real_range(inputs, WEIGHT, column, some, weight);
        for (uint64_t i = 0; i < some; i++)
            dtype_store(dtype, (char *)out + (done + i) * dtype_size(dtype), x[i] * scale * weight[i]);
    }
}

/* ---- The call ---- */

const char *rmsnorm_queue(int size, int is_bf16, const void *x, const void *weight, void *y, float *sums,
                          unsigned rows, unsigned columns, float epsilon, void *stream); /* launches.cu */

static int open_call(struct call *call)
{
    if (call->point->value[LAUNCH] == STAGED)
        call->workspace_bytes = (uint64_t)call->point->value[ROWS] * sizeof(float);
    return 0;
}

static int call(struct call *call)
{
    const int64_t *value = call->point->value;
    const char *why = rmsnorm_queue((int)dtype_size((enum dtype)value[DTYPE]), value[DTYPE] == DTYPE_BF16,
                                    call->buffer[X], call->buffer[WEIGHT], call->buffer[Y], call->workspace,
                                    (unsigned)value[ROWS], (unsigned)value[COLUMNS], EPSILON, call->stream);
    if (why)
        snprintf(call->reason, sizeof call->reason, "%s", why);
    return why ? -1 : 0;
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "rmsnorm", .axes = axes, .count = AXES},
    .summary = "rows scaled to a mean square of 1, by a kernel or by calls",
    .data_axes = FAMILY_AXIS(ROWS) | FAMILY_AXIS(COLUMNS) | FAMILY_AXIS(DTYPE),
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .open_call = open_call,
    .call = call,
};
