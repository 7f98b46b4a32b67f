#include <stdlib.h>

#include "base/memory.h"
#include "worker/cuda/baselines/baselines.h"

enum { STREAMS_MAX = 8, WAYS_MAX = 2 }; /* each way has its own streams */

/* Streams and the events that tie them to the caller's. */
struct side {
    cudaStream_t stream[WAYS_MAX * STREAMS_MAX];
    cudaEvent_t begun, ended[WAYS_MAX * STREAMS_MAX];
    uint32_t count;
};

static uint32_t ways_of(const struct call *call)
{
    return call->setup->buffers > 3 ? 2 : 1;
}

static int open_streams(struct call *call)
{
    struct cuda_call *own = (struct cuda_call *)call;
    uint32_t chunks = call->setup->host_copy.chunks, streams = call->setup->host_copy.streams;
    uint32_t all = ways_of(call) * streams;
    own->waits = chunks > 1; /* the parts may fill the queue of a blocked stream */
    own->places = ways_of(call) * chunks;
    if (streams < 1 || streams > STREAMS_MAX)
        cuda_fail("%u streams; there are 1 to %d", streams, STREAMS_MAX);
    if (all == 1) /* nothing to tie together */
        return 0;
    struct side *side = call->state = memory_new(1, sizeof *side);
    CUDA(cudaEventCreateWithFlags(&side->begun, cudaEventDisableTiming));
    for (; side->count < all; side->count++) {
        CUDA(cudaStreamCreateWithFlags(&side->stream[side->count], cudaStreamNonBlocking));
        CUDA(cudaEventCreateWithFlags(&side->ended[side->count], cudaEventDisableTiming));
    }
    return 0;
}

static void close_streams(struct call *call)
{
    struct side *side = call->state;
    for (uint32_t i = 0; side && i < side->count; i++) {
        cudaStreamDestroy(side->stream[i]);
        cudaEventDestroy(side->ended[i]);
    }
    if (side)
        cudaEventDestroy(side->begun);
    free(side);
}

static void launch_part(struct call *call, cudaStream_t stream, char *part, uint64_t count)
{
    const struct setup *s = call->setup;
    cudaLaunchConfig_t launch = {.gridDim = {s->grid[0], 1, 1},
                                 .blockDim = {s->block[0], 1, 1},
                                 .dynamicSmemBytes = s->shared_dynamic,
                                 .stream = stream};
    void *arguments[] = {&part, &count};
    CUDA(cudaLaunchKernelExC(&launch, ((struct cuda_call *)call)->kernel, arguments));
}

/* A part of buffer `in`, to the buffer that follows it. */
static void copy_chunk(struct call *call, cudaStream_t stream, int in, uint32_t chunk)
{
    const struct buffer *buffer = &call->setup->buffer[in];
    uint64_t size = dtype_size(buffer->dtype), chunks = call->setup->host_copy.chunks;
    uint64_t first = buffer->count * chunk / chunks, next = buffer->count * (chunk + 1) / chunks;
    uint64_t count = next - first;
    char *from = (char *)call->buffer[in] + first * size, *to = (char *)call->buffer[in + 1] + first * size;
    if (call->setup->buffers == 3) { /* there and back again */
        char *between = (char *)call->buffer[2] + first * size;
        CUDA(cudaMemcpyAsync(between, from, count * size, cudaMemcpyHostToDevice, stream));
        launch_part(call, stream, between, count);
        CUDA(cudaMemcpyAsync(to, between, count * size, cudaMemcpyDeviceToHost, stream));
        return;
    }
    enum cudaMemcpyKind kind = buffer->on_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (call->setup->entry && kind == cudaMemcpyDeviceToHost)
        launch_part(call, stream, from, count);
    CUDA(cudaMemcpyAsync(to, from, count * size, kind, stream));
    if (call->setup->entry && kind == cudaMemcpyHostToDevice)
        launch_part(call, stream, to, count);
}

/* The copies start after earlier work in the call's stream; later work in it starts after them. */
static int copy_all(struct call *call)
{
    uint32_t streams = call->setup->host_copy.streams, ways = ways_of(call);
    const struct side *side = call->state;
    uint32_t all = side ? side->count : 0;
    if (side)
        CUDA(cudaEventRecord(side->begun, call->stream));
    for (uint32_t i = 0; i < all; i++)
        CUDA(cudaStreamWaitEvent(side->stream[i], side->begun, 0));
    for (uint32_t i = 0; i < ways * call->setup->host_copy.chunks; i++)
        copy_chunk(call, side ? side->stream[i % ways * streams + i / ways % streams] : call->stream,
                   2 * (int)(i % ways), i / ways);
    for (uint32_t i = 0; i < all; i++) {
        CUDA(cudaEventRecord(side->ended[i], side->stream[i]));
        CUDA(cudaStreamWaitEvent(call->stream, side->ended[i], 0));
    }
    return 0;
}

const struct family host_copy = {.open_call = open_streams, .call = copy_all, .close_call = close_streams};
