/* faulty - out[i] = in[i], and what the variant does to one element or thread. */
#include "device.cuh"

#ifndef BLOCK
#error "BLOCK is not defined"
#endif

extern "C" __global__ void __launch_bounds__(BLOCK) faulty(float *out, const float *in, u64 n)
{
    const u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n)
        return;
#if defined(variant_none) || defined(variant_memory)
    out[i] = in[i];
#elif defined(variant_wrong)
    out[i] = i == 7777 ? 2.0f : in[i];
#elif defined(variant_bounds)
    out[i == 7777 ? i + (u64(1) << 40) : i] = in[i];
#elif defined(variant_misaligned)
    *(float *)((char *)(out + i) + (i == 7777 ? 2 : 0)) = in[i];
#elif defined(variant_assertion)
    if (i == 7777)
        asm volatile("trap;"); /* what a failed assertion executes */
    out[i] = in[i];
#elif defined(variant_endless)
    volatile float *at = out;
    while (i == 7777 && at[i] != 3.0f)
        at[i] = 1.0f;
    out[i] = in[i];
#else
#error "no variant_... is defined"
#endif
}
