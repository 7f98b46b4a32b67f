/* triad - a[i] = b[i] + 3 c[i], one element per thread. */
#include "device.cuh"

#ifndef BLOCK
#error "BLOCK is not defined"
#endif
#ifndef ELEMENT_SIZE
#error "ELEMENT_SIZE (axis dtype) is not defined"
#endif
#if defined(variant_plain)
#define POINTER *
#elif defined(variant_restrict)
#define POINTER *__restrict__
#else
#error "no variant_... is defined"
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    triad_kernel(ELEMENT POINTER a, const ELEMENT POINTER b, const ELEMENT POINTER c, u64 n)
{
    const u64 i = (u64)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        a[i] = b[i] + ELEMENT(3) * c[i];
}
