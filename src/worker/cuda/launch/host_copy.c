#include "worker/cuda/launch/host_copy.h"

#include <string.h>

#include "worker/cuda/device/error.h"

enum { STREAMS_MAX = 8 };

/* Streams and the events that tie them to the caller's, made when a point first needs them. */
static struct {
    cudaStream_t stream[STREAMS_MAX];
    cudaEvent_t begun, ended[STREAMS_MAX];
    uint32_t count;
} side;

static void make_streams(uint32_t count)
{
    if (!side.begun)
        CUDA(cudaEventCreateWithFlags(&side.begun, cudaEventDisableTiming));
    for (; side.count < count; side.count++) {
        CUDA(cudaStreamCreateWithFlags(&side.stream[side.count], cudaStreamNonBlocking));
        CUDA(cudaEventCreateWithFlags(&side.ended[side.count], cudaEventDisableTiming));
    }
}

void cuda_host_copy_end(void)
{
    for (uint32_t i = 0; i < side.count; i++) {
        cudaStreamDestroy(side.stream[i]);
        cudaEventDestroy(side.ended[i]);
    }
    if (side.begun)
        cudaEventDestroy(side.begun);
    memset(&side, 0, sizeof side);
}

static void launch_part(struct cuda_point *p, cudaStream_t stream, char *part, uint64_t count)
{
    cudaLaunchConfig_t launch = {.gridDim = {p->setup.grid[0], 1, 1},
                                 .blockDim = {p->setup.block[0], 1, 1},
                                 .dynamicSmemBytes = p->setup.shared_dynamic,
                                 .stream = stream};
    void *arguments[] = {&part, &count};
    CUDA(cudaLaunchKernelExC(&launch, p->kernel, arguments));
}

static void copy_chunk(struct cuda_point *p, cudaStream_t stream, uint32_t set, uint32_t chunk)
{
    const struct buffer *buffer = p->setup.buffer;
    uint64_t size = dtype_size(buffer[0].dtype), chunks = p->setup.host_copy.chunks;
    uint64_t first = buffer[0].count * chunk / chunks, next = buffer[0].count * (chunk + 1) / chunks;
    uint64_t count = next - first;
    char *from = cuda_point_buffer(p, set, 0) + first * size,
         *to = cuda_point_buffer(p, set, 1) + first * size;
    if (p->setup.buffers > 2) { /* there and back again */
        char *between = cuda_point_buffer(p, set, 2) + first * size;
        CUDA(cudaMemcpyAsync(between, from, count * size, cudaMemcpyHostToDevice, stream));
        launch_part(p, stream, between, count);
        CUDA(cudaMemcpyAsync(to, between, count * size, cudaMemcpyDeviceToHost, stream));
        return;
    }
    enum cudaMemcpyKind kind = buffer[0].on_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (p->setup.entry && kind == cudaMemcpyDeviceToHost)
        launch_part(p, stream, from, count);
    CUDA(cudaMemcpyAsync(to, from, count * size, kind, stream));
    if (p->setup.entry && kind == cudaMemcpyHostToDevice)
        launch_part(p, stream, to, count);
}

void cuda_host_copy_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    uint32_t chunks = p->setup.host_copy.chunks, streams = p->setup.host_copy.streams;
    if (streams < 1 || streams > STREAMS_MAX)
        cuda_fail("%u streams; there are 1 to %d", streams, STREAMS_MAX);
    if (streams == 1) { /* nothing to tie together */
        for (uint32_t i = 0; i < chunks; i++)
            copy_chunk(p, stream, set, i);
        return;
    }
    make_streams(streams);
    CUDA(cudaEventRecord(side.begun, stream));
    for (uint32_t i = 0; i < streams; i++)
        CUDA(cudaStreamWaitEvent(side.stream[i], side.begun, 0));
    for (uint32_t i = 0; i < chunks; i++)
        copy_chunk(p, side.stream[i % streams], set, i);
    for (uint32_t i = 0; i < streams; i++) {
        CUDA(cudaEventRecord(side.ended[i], side.stream[i]));
        CUDA(cudaStreamWaitEvent(stream, side.ended[i], 0));
    }
}
