/* rmsnorm - y = x / sqrt(mean of x^2 over the row + epsilon) * weight, by one block per row. warpsweep
 * compiles it for launch=kernel, and launches.cu includes it for launch=call. */
#if defined(DTYPE_f16)
#include <cuda_fp16.h>
#elif defined(DTYPE_bf16)
#include <cuda_bf16.h>
#endif

extern "C" __global__ void __launch_bounds__(256)
    rmsnorm(const ELEMENT *x, const ELEMENT *weight, ELEMENT *y, unsigned columns, float epsilon)
{
    __shared__ float sums[8];
    float sum = 0;
    x += (size_t)blockIdx.x * columns;
    y += (size_t)blockIdx.x * columns;
    for (unsigned i = threadIdx.x; i < columns; i += 256)
        sum += float(x[i]) * float(x[i]);
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int warp = 0; warp < 8; warp++)
        sum += sums[warp];
    const float scale = rsqrtf(sum / float(columns) + epsilon);
    for (unsigned i = threadIdx.x; i < columns; i += 256)
        y[i] = ELEMENT(float(x[i]) * scale * float(weight[i]));
}
