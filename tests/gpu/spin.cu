/* spin - `rounds` dependent multiply-adds on each element. */
#include "device.cuh"

#ifndef BLOCK
#error "BLOCK is not defined"
#endif
#ifndef ELEMENT_SIZE
#error "ELEMENT_SIZE (axis dtype) is not defined"
#endif
#ifndef variant_fma
#error "no variant_... is defined"
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) spin(ELEMENT *out, const ELEMENT *in, u64 n, u32 rounds)
{
    const u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
    ELEMENT x = in[i];
#pragma unroll 10
    for (u32 round = 0; round < rounds; round++)
        x = x * ELEMENT(0.5) + ELEMENT(1);
    out[i] = x;
}
