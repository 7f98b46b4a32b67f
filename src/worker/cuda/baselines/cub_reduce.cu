/* cub_reduce.cu - CUB's device-wide sum, the one baseline that must be compiled ahead: it is a host function. */
#include <cstddef>
#include <cstdint>
#include <cub/device/device_reduce.cuh>

extern "C" {
#include "core/dtype.h"

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
}
