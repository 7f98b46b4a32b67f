/* vendor.h - the vendor's kernels, measured as baselines: cuBLAS and CUB. */
#ifndef WORKER_CUDA_BASELINES_VENDOR_H
#define WORKER_CUDA_BASELINES_VENDOR_H

#include "worker/cuda/device/point.h"

/* Queue one of the vendor's engines on a set of buffers. The point fails if the library is not installed, or if this build has no
 * CUB. */
void cuda_vendor_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set);

/* cub::DeviceReduce::Sum (cub_reduce.cu). As in CUB, with `scratch` NULL it only sets `scratch_bytes`.
 * `dtype` is DTYPE_F32 or DTYPE_I32; anything else is cudaErrorNotSupported. */
cudaError_t cub_reduce_sum(void *scratch, size_t *scratch_bytes, const void *in, void *out, uint64_t count,
                           int dtype, cudaStream_t stream);

/* cub::DeviceTransform (cub_transform.cu): elements of any dtype copied; of f32, f16 or bf16 added; silu(x) * y of
 * `rows` rows of d elements x, then d elements y, in f32, f16 or bf16. What CUB's 32-bit index has no room for and other
 * dtypes are cudaErrorNotSupported. The first call of each kind must not be within a capture. */
cudaError_t cub_transform_copy(const void *in, void *out, uint64_t count, int dtype, cudaStream_t stream);
cudaError_t cub_transform_add(const void *a, const void *b, void *out, uint64_t count, int dtype,
                              cudaStream_t stream);
cudaError_t cub_transform_silu_mul(const void *in, void *out, uint64_t rows, uint64_t d, int dtype,
                                   cudaStream_t stream);

#endif
