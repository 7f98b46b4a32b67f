#include "worker/cuda/baselines/vendor.h"

#include "worker/cuda/baselines/cublas.h"
#include "worker/cuda/device/error.h"

#ifdef WARPSWEEP_CUB

static void sum(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    static void *scratch; /* CUB's temporary memory: kept and grown, for the worker's life */
    static size_t scratch_bytes;
    size_t needed = 0;
    const struct buffer *in = &p->setup.buffer[0];
    CUDA(cub_reduce_sum(NULL, &needed, NULL, NULL, in->count, in->dtype, stream));
    if (needed > scratch_bytes) {
        CUDA(cudaFree(scratch));
        CUDA(cudaMalloc(&scratch, needed));
        scratch_bytes = needed;
    }
    CUDA(cub_reduce_sum(scratch, &needed, cuda_point_buffer(p, set, 0), cuda_point_buffer(p, set, 1),
                        in->count, in->dtype, stream));
}

static void launch_cub(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    const struct setup *s = &p->setup;
    const struct buffer *in = &s->buffer[0];
    char *first = cuda_point_buffer(p, set, 0), *second = cuda_point_buffer(p, set, 1);
    switch (s->engine) {
    case ENGINE_CUB_COPY:
        CUDA(cub_transform_copy(first, second, in->count, in->dtype, stream));
        break;
    case ENGINE_CUB_ADD:
        CUDA(cub_transform_add(first, second, cuda_point_buffer(p, set, 2), in->count, in->dtype, stream));
        break;
    case ENGINE_CUB_SILU_MUL:
        CUDA(cub_transform_silu_mul(first, second, s->shape[0], s->shape[1], in->dtype, stream));
        break;
    default:
        sum(p, stream, set);
        break;
    }
}

#else

static void launch_cub(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    (void)p, (void)stream, (void)set;
    cuda_fail("this build has no CUB baseline: it was made without nvcc");
}

#endif

void cuda_vendor_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set)
{
    switch (p->setup.engine) {
    case ENGINE_GEAM:
    case ENGINE_GEMM:
        cublas_launch(p, stream, set);
        break;
    case ENGINE_GEMM_LT:
        cublas_lt_launch(p, stream, set);
        break;
    default:
        launch_cub(p, stream, set);
        break;
    }
}
