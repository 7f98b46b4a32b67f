#include "worker/cuda/baselines/baselines.h"

static uint64_t bytes_of(const struct call *call)
{
    return dtype_bytes(call->setup->buffer[0].dtype, call->setup->buffer[0].count);
}

static int open_copy(struct call *call)
{
    struct cuda_call *own = (struct cuda_call *)call;
    own->uncaptured = bytes_of(call) > BASELINES_GRAPH_MEMCPY_MAX;
    if (call->setup->engine == ENGINE_PEER_COPY)
        own->places = setup_has_parts(call->setup) ? call->setup->parts : 1;
    return 0;
}

static int copy(struct call *call)
{
    bool within = call->setup->engine == ENGINE_MEMCPY;
    CUDA(cudaMemcpyAsync(call->buffer[1], call->buffer[0], bytes_of(call),
                         within ? cudaMemcpyDeviceToDevice : cudaMemcpyDefault, call->stream));
    return 0;
}

#ifdef WARPSWEEP_CUB

static int open_transform(struct call *call)
{
#ifdef WARPSWEEP_CUB_UNTUNED /* CUB would choose as for the oldest GPU */
    cuda_lack("this build has no CUB baseline of this GPU: CUB_TARGETS was empty");
#endif
    call->library_version = cub_version();
    return 0;
}

static int open_sum(struct call *call)
{
    open_transform(call);
    const struct buffer *in = &call->setup->buffer[0];
    size_t needed = 0;
    CUDA(cub_reduce_sum(NULL, &needed, NULL, NULL, in->count, in->dtype, call->stream));
    call->workspace_bytes = needed;
    return 0;
}

static int cub(struct call *call)
{
    const struct setup *s = call->setup;
    const struct buffer *in = &s->buffer[0];
    void *const *b = call->buffer;
    size_t scratch = call->workspace_bytes;
    if (s->engine == ENGINE_CUB_COPY)
        CUDA(cub_transform_copy(b[0], b[1], in->count, in->dtype, call->stream));
    else if (s->engine == ENGINE_CUB_ADD)
        CUDA(cub_transform_add(b[0], b[1], b[2], in->count, in->dtype, call->stream));
    else if (s->engine == ENGINE_CUB_SILU_MUL)
        CUDA(cub_transform_silu_mul(b[0], b[1], s->shape[0], s->shape[1], in->dtype, call->stream));
    else
        CUDA(cub_reduce_sum(call->workspace, &scratch, b[0], b[1], in->count, in->dtype, call->stream));
    return 0;
}

#else

static int cub(struct call *call)
{
    (void)call;
    cuda_lack("this build has no CUB baseline: it was made without nvcc");
}
#define open_sum       NULL
#define open_transform NULL

#endif

const struct family *cuda_baseline(enum engine engine)
{
    static const struct family copies = {.open_call = open_copy, .call = copy},
                               sums = {.open_call = open_sum, .call = cub},
                               transforms = {.open_call = open_transform, .call = cub};
    static const struct family *const baselines[] = {
        [ENGINE_MEMCPY] = &copies,       [ENGINE_PEER_COPY] = &copies,
        [ENGINE_HOST_COPY] = &host_copy, [ENGINE_GEAM] = &cublas_geam,
        [ENGINE_GEMM] = &cublas_gemm,    [ENGINE_GEMM_LT] = &cublas_lt_gemm,
        [ENGINE_CUB_REDUCE] = &sums,     [ENGINE_CUB_COPY] = &transforms,
        [ENGINE_CUB_ADD] = &transforms,  [ENGINE_CUB_SILU_MUL] = &transforms,
    };
    return baselines[engine];
}
