/* launches - what triad.c queues on a stream for a = b + 3 c: a copy of b to a, and a kernel that adds 3
 * c. */
#include <cstddef>

template <typename element> static __global__ void add(element *a, const element *c, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] += element(3) * c[i];
}

/* NULL, or what CUDA says. `size`: bytes of an element; `n`: elements. */
extern "C" const char *launches_queue(size_t size, void *a, const void *b, const void *c, size_t n,
                                      void *stream)
{
    const unsigned block = 256, grid = (unsigned)((n + block - 1) / block);
    cudaStream_t to = (cudaStream_t)stream;
    cudaError_t status = cudaMemcpyAsync(a, b, n * size, cudaMemcpyDeviceToDevice, to);
    if (status == cudaSuccess) {
        if (size == sizeof(float))
            add<<<grid, block, 0, to>>>((float *)a, (const float *)c, n);
        else
            add<<<grid, block, 0, to>>>((double *)a, (const double *)c, n);
        status = cudaGetLastError();
    }
    return status == cudaSuccess ? NULL : cudaGetErrorString(status);
}
