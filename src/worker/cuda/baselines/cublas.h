/* cublas.h - cuBLAS and cuBLASLt, looked up at run time, on the first point that wants them: they are hundreds of
 * megabytes, and a login node or a job without such points does without. */
#ifndef WORKER_CUDA_BASELINES_CUBLAS_H
#define WORKER_CUDA_BASELINES_CUBLAS_H

#include "worker/cuda/device/point.h"

/* Open lib`name`.so of this toolkit's major release, from the loader's path or the toolkit's folder. The point fails
 * where it is not installed. */
void *cublas_open(const char *name);

/* The function `name` of an opened library; the point fails where it has none. */
void *cublas_function(void *library, const char *name);

/* Queue ENGINE_GEAM or ENGINE_GEMM on a set of buffers, by cuBLAS. */
void cublas_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set);

/* Queue ENGINE_GEMM_LT, by cuBLASLt. */
void cublas_lt_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set);

#endif
