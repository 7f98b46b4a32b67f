/* vendor.h - the vendor's own kernels, measured beside ours: cuBLAS and CUB. */
#ifndef WORKER_CUDA_VENDOR_H
#define WORKER_CUDA_VENDOR_H

#include "worker/cuda/point.h"

/* Queue ENGINE_GEAM, ENGINE_GEMM or ENGINE_CUB_REDUCE on a set of buffers. The point fails where the library
 * is not installed, or this build has no CUB. */
void cuda_vendor_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set);

/* cub::DeviceReduce::Sum (cub_reduce.cu): as CUB has it, with `scratch` NULL it only tells `scratch_bytes`.
 * `dtype` is DTYPE_F32 or DTYPE_I32; anything else is cudaErrorNotSupported. */
cudaError_t cub_reduce_sum(void *scratch, size_t *scratch_bytes, const void *in, void *out, uint64_t count,
                           int dtype, cudaStream_t stream);

#endif
