#include "worker/cuda/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "worker/cuda/error.h"
#include "worker/cuda/launch.h"
#include "worker/pool.h"
#include "worker/spans.h"
#include "worker/verify.h"

static void poison(struct cuda_point *p)
{
    cudaStream_t stream = p->session->stream;
    for (int b = 0; b < p->setup.buffers; b++) {
        char *at = cuda_point_buffer(p, 0, b);
        uint64_t bytes = cuda_point_bytes(p, b);
        bool output = p->setup.buffer[b].role == BUFFER_OUTPUT;
        if (p->host[b]) {
            if (output)
                memset(at, VERIFY_POISON, bytes);
            continue;
        }
        CUDA(cudaMemsetAsync(at - CUDA_GUARD_BYTES, VERIFY_POISON, CUDA_GUARD_BYTES, stream));
        CUDA(cudaMemsetAsync(at + bytes, VERIFY_POISON, CUDA_GUARD_BYTES, stream));
        if (output)
            CUDA(cudaMemsetAsync(at, VERIFY_POISON, bytes, stream));
    }
}

static void check_guard(struct cuda_point *p, const char *at, const char *where, int b)
{
    const unsigned char *bytes = (const unsigned char *)p->session->staging;
    CUDA(cudaMemcpyAsync(p->session->staging, at, CUDA_GUARD_BYTES, cudaMemcpyDeviceToHost,
                         p->session->stream));
    CUDA(cudaStreamSynchronize(p->session->stream));
    for (int i = 0; i < CUDA_GUARD_BYTES; i++)
        if (bytes[i] != VERIFY_POISON)
            cuda_fail("the kernel wrote out of bounds: %d bytes into the guard %s buffer '%s'", i, where,
                      p->setup.buffer[b].name);
}

/* Elements [first, first + count) of an output: where they are in host memory, fetched if need be. */
static const void *fetch(struct cuda_point *p, int b, uint64_t first, uint64_t count)
{
    uint64_t size = dtype_size(p->setup.buffer[b].dtype);
    const char *at = cuda_point_buffer(p, 0, b) + first * size;
    if (p->host[b])
        return at;
    enum phase before = spans_enter(PHASE_copy_back);
    CUDA(cudaMemcpyAsync(p->session->staging, at, count * size, cudaMemcpyDeviceToHost, p->session->stream));
    CUDA(cudaStreamSynchronize(p->session->stream));
    spans_leave(before);
    return p->session->staging;
}

static void check_ranges(struct cuda_point *p, struct verification *v, const struct verify_plan *plan)
{
    uint64_t portion = CUDA_STAGING_BYTES / dtype_size(p->setup.buffer[plan->buffer].dtype);
    for (int r = 0; r < plan->ranges; r++) {
        uint64_t first = plan->range[r].first, end = first + plan->range[r].count;
        for (; first < end; first += portion) {
            uint64_t count = end - first < portion ? end - first : portion;
            verify_range(v, plan, first, count, fetch(p, plan->buffer, first, count));
        }
    }
}

/* Gathers into the flush buffer: it is there, large enough, and otherwise only read. Host memory that is
 * pinned can be gathered from as well; pageable memory is gathered here. */
static void check_samples(struct cuda_point *p, struct verification *v, const struct verify_plan *plan)
{
    uint32_t size = (uint32_t)dtype_size(p->setup.buffer[plan->buffer].dtype);
    char *in = cuda_point_buffer(p, 0, plan->buffer), *out = p->session->flush;
    uint64_t samples = plan->samples, count = plan->count, seed = plan->seed;
    if (!samples)
        return;
    enum phase before = spans_enter(PHASE_copy_back);
    if (p->host[plan->buffer]) {
        for (uint64_t k = 0; k < samples; k++)
            memcpy(p->session->staging + k * size, in + verify_index(plan, k) * size, size);
    } else {
        void *arguments[] = {&in, &out, &samples, &count, &seed, &size};
        cuda_session_launch(p->session, p->session->gather, arguments, true);
        CUDA(cudaMemcpyAsync(p->session->staging, out, samples * size, cudaMemcpyDeviceToHost,
                             p->session->stream));
        CUDA(cudaStreamSynchronize(p->session->stream));
    }
    spans_leave(before);
    verify_samples(v, plan, 0, samples, p->session->staging);
}

/* Host copies of all inputs, for references that read them often. */
static void materialise(struct cuda_point *p, struct inputs *inputs)
{
    for (int b = 0; b < p->setup.buffers; b++) {
        if (p->setup.buffer[b].role != BUFFER_INPUT)
            continue;
        void *copy = memory_new(cuda_point_bytes(p, b), 1);
        inputs->data[b] = copy;
        CUDA(cudaMemcpy(copy, cuda_point_buffer(p, 0, b), cuda_point_bytes(p, b), cudaMemcpyDefault));
    }
}

static void check_outputs(struct cuda_point *p, struct verification *v)
{
    for (int b = 0; b < p->setup.buffers; b++) {
        char *at = cuda_point_buffer(p, 0, b);
        if (!p->host[b]) {
            check_guard(p, at - CUDA_GUARD_BYTES, "before", b);
            check_guard(p, at + cuda_point_bytes(p, b), "after", b);
        }
        if (p->setup.buffer[b].role != BUFFER_OUTPUT)
            continue;
        struct verify_plan plan = verify_plan_buffer(&p->setup, b, p->seed);
        check_ranges(p, v, &plan);
        check_samples(p, v, &plan);
    }
}

void cuda_verify(struct cuda_point *p, struct result *result)
{
    int threads = p->session->config.threads;
    struct inputs inputs = {.setup = &p->setup, .seed = p->seed, .threads = threads, .parallel = pool_run};
    enum phase before = spans_enter(PHASE_launch);
    poison(p);
    cuda_point_launch(p, p->session->stream, 0);
    CUDA(cudaStreamSynchronize(p->session->stream));
    spans_enter(PHASE_copy_back);
    if (p->family->materialise)
        materialise(p, &inputs);
    spans_leave(before);
    struct verification v = verify_start(p->family, p->point, &inputs, threads);
    check_outputs(p, &v);
    for (int b = 0; b < p->setup.buffers; b++)
        free((void *)inputs.data[b]);
    verify_conclude(&v, result);
}
