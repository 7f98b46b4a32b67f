/* queues - y = x + 0 by a copy in a call. The axis `way` says how it is queued, rightly or wrongly: for
 * call.sh. */
#include "family/rules.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const variants[] = {"copy", NULL};
static const char *const ways[] = {"plain",    "synchronises", "allocates", "pool", "nothing", "legacy",
                                   "unjoined", "joined",       "fails",     "huge", NULL};
enum way { PLAIN, SYNCHRONISES, ALLOCATES, POOL, NOTHING, LEGACY, UNJOINED, JOINED, FAILS, HUGE_WORKSPACE };

enum { VARIANT, WAY, SIZE, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "copy"),
    [WAY] = AXIS_WORDS("way", "how the copy is queued", "plain", ways, false),
    [SIZE] = AXIS_SIZE("1MiB"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    return rules_whole_elements(point->value[SIZE], DTYPE_F32, reason, size);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    uint64_t n = (uint64_t)point->value[SIZE] / sizeof(float);
    return (struct setup){
        .engine = ENGINE_CALL,
        .buffer = {buffer_input("x", DTYPE_F32, n, random), buffer_output("y", DTYPE_F32, n)},
        .buffers = 2};
}

static struct work work(const struct point *point)
{
    return (struct work){.bytes_read = (uint64_t)point->value[SIZE],
                         .bytes_written = (uint64_t)point->value[SIZE]};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    inputs_load_range(inputs, 0, first, count, out);
}

struct side {
    cudaStream_t stream;
    cudaEvent_t begun, ended;
};

static int open_call(struct call *call)
{
    struct side *side = calloc(1, sizeof *side);
    call->state = side;
    if (call->point->value[WAY] == HUGE_WORKSPACE)
        call->workspace_bytes = UINT64_C(1) << 42;
    return cudaStreamCreateWithFlags(&side->stream, cudaStreamNonBlocking) == cudaSuccess &&
                   cudaEventCreateWithFlags(&side->begun, cudaEventDisableTiming) == cudaSuccess &&
                   cudaEventCreateWithFlags(&side->ended, cudaEventDisableTiming) == cudaSuccess
               ? 0
               : -1;
}

static void close_call(struct call *call)
{
    struct side *side = call->state;
    cudaStreamSynchronize(side->stream);
    cudaEventDestroy(side->begun);
    cudaEventDestroy(side->ended);
    cudaStreamDestroy(side->stream);
    free(side);
}

/* 0 and the first error's text. */
static int check(struct call *call, cudaError_t status)
{
    if (status == cudaSuccess)
        return 0;
    snprintf(call->reason, sizeof call->reason, "%s", cudaGetErrorString(status));
    return -1;
}

static int copy(struct call *call, cudaStream_t stream)
{
    return check(call, cudaMemcpyAsync(call->buffer[1], call->buffer[0], (size_t)call->point->value[SIZE],
                                       cudaMemcpyDeviceToDevice, stream));
}

static int copy_aside(struct call *call, cudaStream_t stream, const struct side *side, bool join)
{
    return check(call, cudaEventRecord(side->begun, stream)) ||
                   check(call, cudaStreamWaitEvent(side->stream, side->begun, 0)) ||
                   copy(call, side->stream) ||
                   (join && (check(call, cudaEventRecord(side->ended, side->stream)) ||
                             check(call, cudaStreamWaitEvent(stream, side->ended, 0))))
               ? -1
               : 0;
}

static int call(struct call *call)
{
    enum way way = (enum way)call->point->value[WAY];
    cudaStream_t stream = call->stream;
    void *memory = NULL;
    if (way == ALLOCATES && check(call, cudaMalloc(&memory, 16 << 20)))
        return -1;
    if (way == POOL && check(call, cudaMallocAsync(&memory, 16 << 20, stream)))
        return -1;
    int failed = 0;
    if (way == UNJOINED || way == JOINED)
        failed = copy_aside(call, stream, call->state, way == JOINED);
    else if (way != NOTHING)
        failed = copy(call, way == LEGACY ? cudaStreamLegacy : stream);
    if (way == FAILS)
        failed = check(call, cudaErrorNotSupported);
    if (way == SYNCHRONISES)
        failed = failed || check(call, cudaStreamSynchronize(stream));
    if (way == POOL)
        failed = failed || check(call, cudaFreeAsync(memory, stream));
    if (way == ALLOCATES)
        failed = check(call, cudaFree(memory)) || failed;
    return failed ? -1 : 0;
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "queues", .axes = axes, .count = AXES},
    .summary = "a copy in a call, queued in many ways",
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .open_call = open_call,
    .call = call,
    .close_call = close_call,
};
