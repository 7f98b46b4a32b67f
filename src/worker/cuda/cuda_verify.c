#include "worker/cuda/measure.h"

#include <stdio.h>
#include <string.h>

#include "worker/cuda/launch/cuda_launch.h"
#include "worker/pool.h"
#include "worker/phases.h"
#include "worker/product.h"

/* In the first word of a report, by a kernel that chooses lines of L2 by their side (kernels/chase.cuh). */
#define REPORT_ONE_SIDE UINT32_C(0xfffffff1)

#define POISON_GRAIN (UINT64_C(4) << 20) /* bytes */
#define GATHER_GRAIN 8192                /* samples */

static void poison_host(void *context, uint64_t first, uint64_t count)
{
    memset((char *)context + first, VERIFY_POISON, count);
}

/* Pinned memory is written by the device: what the processor writes stays in its caches, and the next launch
 * takes 5 % longer to write there. */
static void poison(struct cuda_point *p)
{
    for (int b = 0; b < p->setup.buffers; b++) {
        const struct buffer *buffer = &p->setup.buffer[b];
        char *at = cuda_point_buffer(p, 0, b);
        uint64_t bytes = cuda_point_bytes(p, b);
        cuda_session_enter(p->session, cuda_point_device(p, b));
        cudaStream_t stream = p->session->stream;
        if (!p->host[b]) {
            CUDA(cudaMemsetAsync(at - CUDA_GUARD_BYTES, VERIFY_POISON, CUDA_GUARD_BYTES, stream));
            CUDA(cudaMemsetAsync(at + bytes, VERIFY_POISON, CUDA_GUARD_BYTES, stream));
        }
        if (buffer->role == BUFFER_OUTPUT && buffer->pageable)
            pool_run(p->session->threads, bytes, POISON_GRAIN, poison_host, at);
        else if (buffer->role == BUFFER_OUTPUT)
            CUDA(cudaMemsetAsync(at, VERIFY_POISON, bytes, stream));
    }
    cuda_session_enter(p->session, 0);
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
    if (p->host[b] && !p->setup.buffer[b].write_combined)
        return at;
    enum phase before = phases_enter(PHASE_copy_back);
    if (p->host[b]) { /* the processor does not cache it and reads it slowly: by way of the flush buffer */
        CUDA(
            cudaMemcpyAsync(p->session->flush, at, count * size, cudaMemcpyHostToDevice, p->session->stream));
        at = p->session->flush;
    }
    CUDA(cudaMemcpyAsync(p->session->staging, at, count * size, cudaMemcpyDeviceToHost, p->session->stream));
    CUDA(cudaStreamSynchronize(p->session->stream));
    phases_leave(before);
    return p->session->staging;
}

/* False if the device's own product is wrong; then nothing is known of the output. */
static bool check_ranges(struct cuda_point *p, struct verification *v, const struct verify_plan *plan,
                         struct cuda_product *product)
{
    uint64_t flush = p->session->flush_bytes, most = flush < CUDA_STAGING_BYTES ? flush : CUDA_STAGING_BYTES;
    uint64_t portion = most / dtype_size(p->setup.buffer[plan->buffer].dtype);
    if (product)
        portion = cuda_product_portion(product, portion);
    for (int r = 0; r < plan->ranges; r++) {
        uint64_t first = plan->range[r].first, end = first + plan->range[r].count;
        for (; first < end; first += portion) {
            uint64_t count = end - first < portion ? end - first : portion;
            if (product && !verify_range_is_known(v, plan, first, count)) {
                v->panel.values = cuda_product_multiply(product, first, count);
                v->panel.first = first;
                if (!v->panel.values)
                    return false;
            }
            verify_range(v, plan, first, count, fetch(p, plan->buffer, first, count));
            v->panel.values = NULL;
        }
    }
    return true;
}

struct gathering {
    const struct verify_plan *plan;
    const char *in;
    char *out;
    uint32_t size; /* bytes of an element */
};

static void gather_some(void *context, uint64_t first, uint64_t count)
{
    const struct gathering *g = context;
    for (uint64_t k = first; k < first + count; k++)
        memcpy(g->out + k * g->size, g->in + verify_index(g->plan, k) * g->size, g->size);
}

/* Gathers into the flush buffer: it is there, large enough, and otherwise only read. Memory on the
 * host is gathered here, unless the processor reads it slowly. */
static void check_samples(struct cuda_point *p, struct verification *v, const struct verify_plan *plan)
{
    uint32_t size = (uint32_t)dtype_size(p->setup.buffer[plan->buffer].dtype);
    char *in = cuda_point_buffer(p, 0, plan->buffer), *out = p->session->flush;
    uint64_t samples = plan->samples, count = plan->count, seed = plan->seed;
    if (!samples)
        return;
    enum phase before = phases_enter(PHASE_copy_back);
    if (p->host[plan->buffer] && !p->setup.buffer[plan->buffer].write_combined) {
        struct gathering gathering = {plan, in, p->session->staging, size};
        pool_run(p->session->threads, samples, GATHER_GRAIN, gather_some, &gathering);
    } else {
        void *arguments[] = {&in, &out, &samples, &count, &seed, &size};
        cuda_session_launch(p->session, p->session->gather, arguments, true);
        CUDA(cudaMemcpyAsync(p->session->staging, out, samples * size, cudaMemcpyDeviceToHost,
                             p->session->stream));
        CUDA(cudaStreamSynchronize(p->session->stream));
    }
    phases_leave(before);
    verify_samples(v, plan, 0, samples, p->session->staging);
}

static bool check_outputs(struct cuda_point *p, struct verification *v, struct cuda_product *product)
{
    bool right = true;
    for (int b = 0; b < p->setup.buffers; b++) {
        char *at = cuda_point_buffer(p, 0, b);
        cuda_session_enter(p->session, cuda_point_device(p, b));
        if (!p->host[b]) {
            check_guard(p, at - CUDA_GUARD_BYTES, "before", b);
            check_guard(p, at + cuda_point_bytes(p, b), "after", b);
        }
        if (!buffer_is_compared(&p->setup.buffer[b]))
            continue;
        struct verify_plan plan = verify_plan_for(v, b, p->seed);
        right = right && check_ranges(p, v, &plan, product);
        check_samples(p, v, &plan);
    }
    cuda_session_enter(p->session, 0);
    return right;
}

static void *report_of(struct cuda_point *p)
{
    for (int b = 0; b < p->setup.buffers; b++)
        if (p->setup.buffer[b].role == BUFFER_REPORT && p->setup.buffer[b].dtype == DTYPE_I32 &&
            !p->host[b] && cuda_point_device(p, b) == 0)
            return cuda_point_buffer(p, 0, b);
    return NULL;
}

/* End the point where the kernel has found that the device has not what it is about. */
static void heed_report(struct cuda_point *p)
{
    uint32_t word = 0;
    if (report_of(p))
        CUDA(cudaMemcpy(&word, report_of(p), sizeof word, cudaMemcpyDeviceToHost));
    if (word == REPORT_ONE_SIDE && !strcmp(p->session->device.mig, "on"))
        cuda_lack("the part of L2 that MIG leaves has one side: its lines are no two groups, near and far");
    if (word == REPORT_ONE_SIDE)
        cuda_refuse("L2 has one side here: latencies of its lines are no two groups, near and far");
}

/* Compare the outputs. `multiplies`: a large product with one of the device's own, and then all of it; false
 * if that is wrong. */
static bool compare_with(struct cuda_point *p, struct verification *v, struct inputs *inputs, bool multiplies)
{
    struct cuda_product *product = NULL;
    v->whole = multiplies;
    if (multiplies && !verify_is_known(v)) {
        product = cuda_product_open(p, inputs);
        v->whole = product != NULL;
    }
    /* Inputs are generated again, not fetched from the device: the link is slower than the processor, and a
     * faulty kernel may have overwritten them. Few elements of a product need few rows. */
    enum phase before = phases_enter(PHASE_reference);
    bool few = v->sparse && p->family->product;
    if (p->family->materialise && !product && !few && !verify_is_known(v))
        materialise_inputs(inputs);
    phases_leave(before);
    bool right = check_outputs(p, v, product);
    cuda_product_close(product);
    return right;
}

/* Compare the outputs as they are now. */
static void compare(struct cuda_point *p, struct result *result, bool sparse)
{
    int threads = p->session->threads;
    struct inputs inputs = {.setup = &p->setup, .seed = p->seed, .threads = threads, .parallel = pool_run};
    struct verification start = verify_start(p->family, p->point, &inputs, threads), v;
    start.kept = sparse ? p->session->few : p->session->expectations;
    start.sparse = sparse;
    v = start;
    if (!compare_with(p, &v, &inputs,
                      !sparse && cuda_session_multiplies(p->session) &&
                          product_is_large(p->family, p->point))) {
        fprintf(stderr, "warpsweep: the GPU's f64 product of %s is wrong: the C reference takes its place\n",
                p->family->space.kernel);
        v = start;
        compare_with(p, &v, &inputs, false);
    }
    materialise_release(&inputs);
    verify_conclude(&v, result);
}

void cuda_renew(struct cuda_point *p, bool poisoned)
{
    if (poisoned)
        poison(p);
    cuda_point_renew(p);
}

void cuda_compare(struct cuda_point *p, struct result *result)
{
    reference_prefetch_claim_few(p->session->prefetch);
    compare(p, result, true);
    reference_prefetch_release(p->session->prefetch);
}

void cuda_verify(struct cuda_point *p, struct result *result)
{
    enum phase before = phases_enter(PHASE_launch);
    poison(p);
    cuda_point_refill(p);
    if (report_of(p))
        CUDA(cudaMemsetAsync(report_of(p), 0, sizeof(uint32_t), p->session->stream));
    if (p->call.graph) /* as it is timed: a graph lacks what a call queues on a stream that is not captured */
        CUDA(cudaGraphLaunch(p->call.graph, p->session->stream));
    else
        cuda_point_launch(p, p->session->stream, 0);
    CUDA(cudaStreamSynchronize(p->session->stream));
    p->launched = true;
    heed_report(p);
    phases_enter(PHASE_reference);
    reference_prefetch_claim(p->session->prefetch, p->point, p->seed);
    phases_leave(before);
    compare(p, result, false);
    reference_prefetch_release(p->session->prefetch);
}
