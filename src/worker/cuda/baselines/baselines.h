/* baselines.h - the calls that are built in: the vendor's libraries and copies, by the functions open_call,
 * call and close_call of a family, which have nothing else.
 *
 * Their struct call is the first member of the point's struct cuda_call. They may end the point by device.h
 * in place of a reason. A launch can be captured, once there was one, unless it copies pageable memory. */
#pragma once

#include "worker/cuda/device/cuda_device.h"

/* A longer device-to-device copy goes another way as a node of a graph than in a stream, which is what
 * callers see: of 512 MiB and more 2430 instead of 3012 GB/s on an H100, 2770 instead of 4281 GB/s on an H200
 * (driver 580.159.04). */
#define BASELINES_GRAPH_MEMCPY_MAX (256ULL << 20) /* bytes */

/* The functions of a built-in engine: neither ENGINE_KERNEL nor ENGINE_CALL. */
const struct family *cuda_baseline(enum engine engine);

/* cuBLAS and cuBLASLt are looked up when the first point that wants them is opened: they are hundreds of
 * megabytes, and a login node or a job without such points does without. The point fails where they are not
 * installed. */
extern const struct family cublas_geam, cublas_gemm, cublas_lt_gemm;

/* Open lib`name`.so of this toolkit's major release, from the loader's path or the toolkit's folder; the
 * function `name` of an opened library. The point fails without. */
void *cublas_open(const char *name);
void *cublas_function(void *library, const char *name);

/* ENGINE_HOST_COPY. Its streams are the point's: additional streams in the process slow down every later
 * launch. */
extern const struct family host_copy;

/* CUB_VERSION, 100000 * major + 100 * minor + patch. */
int cub_version(void);

/* cub::DeviceReduce::Sum (cub.cu). As in CUB, with `scratch` NULL it only sets `scratch_bytes`.
 * `dtype` is DTYPE_F32 or DTYPE_I32; anything else is cudaErrorNotSupported. */
cudaError_t cub_reduce_sum(void *scratch, size_t *scratch_bytes, const void *in, void *out, uint64_t count,
                           int dtype, cudaStream_t stream);

/* cub::DeviceTransform (cub.cu): elements of any dtype copied; of f32, f16 or bf16 added; silu(x) * y of
 * `rows` rows of d elements x, then d elements y, in f32, f16 or bf16. What CUB's 32-bit index has no room
 * for and other dtypes are cudaErrorNotSupported. The first call of each kind must not be within a
 * capture. */
cudaError_t cub_transform_copy(const void *in, void *out, uint64_t count, int dtype, cudaStream_t stream);
cudaError_t cub_transform_add(const void *a, const void *b, void *out, uint64_t count, int dtype,
                              cudaStream_t stream);
cudaError_t cub_transform_silu_mul(const void *in, void *out, uint64_t rows, uint64_t d, int dtype,
                                   cudaStream_t stream);
