/* calls - a family whose launches are calls, which also run on the host: y = 2 x by way of a workspace, and z
 * = x + 1. The axis `fault` says what goes wrong. CALLS_LOG names a file that gets a line for each open_call
 * and close_call. OFFSET, ON_HOST, TOLERANCE, CALL and PARTS make other families of it. */
#include "family/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef OFFSET
#define OFFSET 1 /* of z */
#endif
#ifndef ON_HOST
#define ON_HOST true
#endif
#ifndef TOLERANCE
#define TOLERANCE 0x1p-22
#endif
#ifndef CALL
#define CALL call
#endif
#ifndef PARTS
#define PARTS 1
#endif

static const char *const variants[] = {"call", NULL};
static const char *const faults[] = {"none",  "open", "first", "later", "silent", "wrong",
                                     "crash", "hang", "huge",  "slow",  NULL};
enum fault { NONE, OPEN, FIRST, LATER, SILENT, WRONG, CRASH, HANG, HUGE_WORKSPACE, SLOW };

enum { VARIANT, FAULT, SIZE, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "call"),
    [FAULT] = AXIS_WORDS("fault", "what goes wrong", "none", faults, false),
    [SIZE] = AXIS_SIZE("64KiB"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

enum { X, Y, Z };

static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / sizeof(float);
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    return rules_whole_elements(point->value[SIZE], DTYPE_F32, reason, size);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    (void)target;
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    uint64_t n = elements(point);
    return (struct setup){
        .engine = ENGINE_CALL,
        .buffer = {buffer_input("x", DTYPE_F32, n, random), buffer_output("y", DTYPE_F32, n),
                   buffer_output("z", DTYPE_F32, n)},
        .buffers = 3,
        .parts = PARTS,
    };
}

static struct work work(const struct point *point)
{
    uint64_t bytes = (uint64_t)point->value[SIZE];
    return (struct work){.bytes_read = bytes, .bytes_written = 2 * bytes, .flops = bytes / 2};
}

static struct tolerance tolerance(const struct point *point)
{
    (void)point;
    return (struct tolerance){.absolute = TOLERANCE};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)point;
    for (uint64_t i = 0; i < count; i++) {
        double x = inputs_real(inputs, X, first + i);
        dtype_store(DTYPE_F32, (char *)out + i * sizeof(float), buffer == Y ? 2 * x : x + OFFSET);
    }
}

static void note(const char *what, const struct point *point)
{
    FILE *log = getenv("CALLS_LOG") ? fopen(getenv("CALLS_LOG"), "a") : NULL;
    if (!log)
        return;
    fprintf(log, "%s %s\n", what, faults[point->value[FAULT]]);
    fclose(log);
}

static int fail(struct call *call, const char *reason)
{
    snprintf(call->reason, sizeof call->reason, "%s", reason);
    return -1;
}

/* The state is the number of calls so far. */
static int open_call(struct call *call)
{
    enum fault fault = (enum fault)call->point->value[FAULT];
    note("open", call->point);
    call->state = calloc(1, sizeof(int));
    call->workspace_bytes = fault == HUGE_WORKSPACE ? UINT64_C(1) << 60 : (uint64_t)call->point->value[SIZE];
    if (fault == SLOW)
        usleep(300000);
    if (!call->buffer[X] || !call->buffer[Z])
        return fail(call, "buffers were expected");
    return fault == OPEN ? fail(call, "the library is not there") : 0;
}

static void close_call(struct call *call)
{
    note("close", call->point);
    free(call->state);
}

static int call(struct call *call)
{
    enum fault fault = (enum fault)call->point->value[FAULT];
    int *calls = call->state;
    ++*calls;
    if (fault == FIRST || fault == SILENT)
        return fault == FIRST ? fail(call, "the first call fails") : -1;
    if (fault == LATER && *calls > 3)
        return fail(call, "the fourth call fails");
    if (fault == CRASH)
        abort();
    while (fault == HANG)
        pause();
    uint64_t n = elements(call->point);
    float *y = call->buffer[Y], *z = call->buffer[Z], *twice = call->workspace;
    const float *x = call->buffer[X];
    if (call->stream || (uintptr_t)twice % 256)
        return fail(call, "no stream, and an aligned workspace, were expected");
    for (uint64_t i = 0; i < n; i++)
        twice[i] = x[i] + x[i];
    for (uint64_t i = 0; i < n; i++) {
        y[i] = twice[i];
        z[i] = x[i] + OFFSET;
    }
    if (fault == WRONG)
        z[n / 2] = 0;
    return 0;
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "calls", .axes = axes, .count = AXES},
    .summary = "y = 2 x and z = x + 1, by a call",
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .open_call = open_call,
    .call = CALL, /* of another build: NULL, which is a mistake */
    .close_call = close_call,
    .call_on_host = ON_HOST,
};
