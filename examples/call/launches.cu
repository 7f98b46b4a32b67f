/* The launches of rmsnorm.c: the kernel of rmsnorm.cu (launch=call), or a memset and three kernels
 * (launch=staged). */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define ELEMENT float
#define rmsnorm rmsnorm_f32
#include "rmsnorm.cu"
#undef ELEMENT
#undef rmsnorm
#define ELEMENT __half
#define rmsnorm rmsnorm_f16
#include "rmsnorm.cu"
#undef ELEMENT
#undef rmsnorm
#define ELEMENT __nv_bfloat16
#define rmsnorm rmsnorm_bf16
#include "rmsnorm.cu"

/* Four blocks per row. */
template <typename element>
static __global__ void add_squares(const element *x, float *sums, unsigned columns)
{
    float sum = 0;
    x += (size_t)blockIdx.y * columns;
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < columns; i += gridDim.x * 256)
        sum += float(x[i]) * float(x[i]);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&sums[blockIdx.y], sum);
}

static __global__ void make_scales(float *sums, unsigned rows, unsigned columns, float epsilon)
{
    unsigned row = blockIdx.x * 256 + threadIdx.x;
    if (row < rows)
        sums[row] = rsqrtf(sums[row] / float(columns) + epsilon);
}

template <typename element>
static __global__ void scale_rows(const element *x, const element *weight, const float *scale, element *y,
                                  unsigned columns)
{
    x += (size_t)blockIdx.y * columns;
    y += (size_t)blockIdx.y * columns;
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < columns; i += gridDim.x * 256)
        y[i] = element(float(x[i]) * scale[blockIdx.y] * float(weight[i]));
}

template <typename element>
static cudaError_t queue(void (*whole)(const element *, const element *, element *, unsigned, float),
                         const void *x, const void *weight, void *y, float *sums, unsigned rows,
                         unsigned columns, float epsilon, cudaStream_t stream)
{
    const element *in = (const element *)x, *factor = (const element *)weight;
    if (!sums) {
        whole<<<rows, 256, 0, stream>>>(in, factor, (element *)y, columns, epsilon);
        return cudaGetLastError();
    }
    cudaError_t status = cudaMemsetAsync(sums, 0, rows * sizeof *sums, stream);
    if (status != cudaSuccess)
        return status;
    add_squares<<<dim3(4, rows), 256, 0, stream>>>(in, sums, columns);
    make_scales<<<(rows + 255) / 256, 256, 0, stream>>>(sums, rows, columns, epsilon);
    scale_rows<<<dim3(4, rows), 256, 0, stream>>>(in, factor, sums, (element *)y, columns);
    return cudaGetLastError();
}

/* NULL, or what CUDA says. `size`: bytes per element; `sums`: one per row, or NULL for the single kernel. */
extern "C" const char *rmsnorm_queue(int size, int is_bf16, const void *x, const void *weight, void *y,
                                     float *sums, unsigned rows, unsigned columns, float epsilon,
                                     void *stream)
{
    cudaStream_t to = (cudaStream_t)stream;
    cudaError_t status;
    if (size == 4)
        status = queue<float>(rmsnorm_f32, x, weight, y, sums, rows, columns, epsilon, to);
    else if (is_bf16)
        status = queue<__nv_bfloat16>(rmsnorm_bf16, x, weight, y, sums, rows, columns, epsilon, to);
    else
        status = queue<__half>(rmsnorm_f16, x, weight, y, sums, rows, columns, epsilon, to);
    return status == cudaSuccess ? NULL : cudaGetErrorString(status);
}
