/* cub.cu - the baselines that must be compiled ahead, because they are host functions: cub::DeviceReduce
 * summing, and cub::DeviceTransform copying, adding, and gating rows.
 *
 * CUB chooses the kernel, its grid and how many elements a thread gets. Arrays are given to it as pointers,
 * so that it may bring them to shared memory by bulk copies, as it does from sm_90 on; counts as 32-bit
 * numbers where they fit, which is what its own benchmarks find faster. */
#include <cstddef>
#include <cstdint>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_transform.cuh>
#include <cub/version.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

extern "C" {
#include "core/dtype.h"
}

namespace
{

using cuda::std::make_tuple;

/* CUB keeps the shape of the first launch of each kind for the life of the process, and a first launch of few
 * elements has it keep a small one. Here the first is of many, and is only captured, never run. */
enum { MANY = 1 << 30 };

template <typename Number, typename Inputs, typename Output, typename Op>
cudaError_t transform_counted(Inputs in, Output out, Number count, Op op, cudaStream_t stream)
{
    static bool shaped;
    if (!shaped) {
        cudaStream_t aside;
        cudaGraph_t graph = nullptr;
        cudaError_t error = cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking), ended;
        if (error != cudaSuccess)
            return error;
        error = cudaStreamBeginCapture(aside, cudaStreamCaptureModeRelaxed);
        if (error == cudaSuccess) {
            error = cub::DeviceTransform::Transform(in, out, (Number)MANY, op, aside);
            ended = cudaStreamEndCapture(aside, &graph);
            error = error == cudaSuccess ? ended : error;
        }
        if (graph)
            cudaGraphDestroy(graph);
        cudaStreamDestroy(aside);
        if (error != cudaSuccess)
            return error;
        shaped = true;
    }
    return cub::DeviceTransform::Transform(in, out, count, op, stream);
}

template <typename Inputs, typename Output, typename Op>
cudaError_t transform(Inputs in, Output out, uint64_t count, Op op, cudaStream_t stream)
{
    if (count <= INT32_MAX)
        return transform_counted(in, out, (int32_t)count, op, stream);
    return transform_counted(in, out, (int64_t)count, op, stream);
}

struct same {
    template <typename T> __device__ T operator()(T value) const { return value; }
};

struct plus {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};

template <typename T> cudaError_t copy(const void *in, void *out, uint64_t count, cudaStream_t stream)
{
    return transform(make_tuple((const T *)in), (T *)out, count, same{}, stream);
}

template <typename T>
cudaError_t add(const void *a, const void *b, void *out, uint64_t count, cudaStream_t stream)
{
    return transform(make_tuple((const T *)a, (const T *)b), (T *)out, count, plus{}, stream);
}

/* ---- rows of x and y ---- */

/* Neighbours that move as one. */
template <typename T, int N> struct alignas(N * sizeof(T)) pack {
    T value[N];
};

/* Pack `index` of all x, or of all y, in rows of x then y. The quotient is exact for 32-bit numbers. */
template <typename Pack> struct gate_input {
    const Pack *in;
    uint32_t row;     /* packs of x in a row */
    uint64_t inverse; /* 2^64 / row, rounded up; 0 for 1 */
    uint32_t y;       /* 0 for x, 1 for y */

    __device__ Pack operator()(int32_t index) const
    {
        uint32_t line = inverse ? (uint32_t)__umul64hi(inverse, (uint64_t)index) : (uint32_t)index;
        return in[(uint64_t)(line + y) * row + index];
    }
};

struct gate {
    template <typename T, int N>
    __device__ pack<T, N> operator()(const pack<T, N> &x, const pack<T, N> &y) const
    {
        pack<T, N> out;
#pragma unroll
        for (int i = 0; i < N; i++) {
            float a = (float)x.value[i];
            out.value[i] = (T)(a * __fdividef(1.0f, 1.0f + __expf(-a)) * (float)y.value[i]);
        }
        return out;
    }
};

template <typename T, int N>
cudaError_t silu_mul(const void *in, void *out, uint64_t rows, uint64_t d, cudaStream_t stream)
{
    typedef pack<T, N> Pack;
    const uint64_t row = d / N;
    const uint64_t inverse = row > 1 ? UINT64_MAX / row + 1 : 0;
    if (rows * row > INT32_MAX)
        return cudaErrorNotSupported;
    thrust::counting_iterator<int32_t> index(0);
    auto x =
        thrust::make_transform_iterator(index, gate_input<Pack>{(const Pack *)in, (uint32_t)row, inverse, 0});
    auto y =
        thrust::make_transform_iterator(index, gate_input<Pack>{(const Pack *)in, (uint32_t)row, inverse, 1});
    return transform_counted(make_tuple(x, y), (Pack *)out, (int32_t)(rows * row), gate{}, stream);
}

/* By 16 bytes where rows start at multiples of that. */
template <typename T>
cudaError_t silu_mul_of(const void *in, void *out, uint64_t rows, uint64_t d, cudaStream_t stream)
{
    constexpr int most = 16 / sizeof(T);
    return d % most ? silu_mul<T, 1>(in, out, rows, d, stream) : silu_mul<T, most>(in, out, rows, d, stream);
}

} // namespace

#define OF_FLOATS(dtype, function, ...)                                                                      \
    switch (dtype) {                                                                                         \
    case DTYPE_F32:                                                                                          \
        return function<float>(__VA_ARGS__);                                                                 \
    case DTYPE_F16:                                                                                          \
        return function<__half>(__VA_ARGS__);                                                                \
    case DTYPE_BF16:                                                                                         \
        return function<__nv_bfloat16>(__VA_ARGS__);                                                         \
    default:                                                                                                 \
        return cudaErrorNotSupported;                                                                        \
    }

extern "C" {

int cub_version(void)
{
    return CUB_VERSION;
}

cudaError_t cub_reduce_sum(void *scratch, size_t *scratch_bytes, const void *in, void *out, uint64_t count,
                           int dtype, cudaStream_t stream)
{
    if (dtype == DTYPE_F32)
        return cub::DeviceReduce::Sum(scratch, *scratch_bytes, (const float *)in, (float *)out, count,
                                      stream);
    if (dtype == DTYPE_I32)
        return cub::DeviceReduce::Sum(scratch, *scratch_bytes, (const int *)in, (int *)out, count, stream);
    return cudaErrorNotSupported;
}

cudaError_t cub_transform_copy(const void *in, void *out, uint64_t count, int dtype, cudaStream_t stream)
{
    switch (dtype_size((enum dtype)dtype)) { /* bits move: what they mean does not matter */
    case 1:
        return copy<uint8_t>(in, out, count, stream);
    case 2:
        return copy<uint16_t>(in, out, count, stream);
    case 4:
        return copy<uint32_t>(in, out, count, stream);
    default:
        return copy<uint64_t>(in, out, count, stream);
    }
}

cudaError_t cub_transform_add(const void *a, const void *b, void *out, uint64_t count, int dtype,
                              cudaStream_t stream){OF_FLOATS(dtype, add, a, b, out, count, stream)}

cudaError_t cub_transform_silu_mul(const void *in, void *out, uint64_t rows, uint64_t d, int dtype,
                                   cudaStream_t stream)
{
    OF_FLOATS(dtype, silu_mul_of, in, out, rows, d, stream)
}
}
