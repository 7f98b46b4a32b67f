/* copy - read an array, write an array: the pattern is the experiment.
 *
 * One access moves VECTOR elements. Neighbouring threads make neighbouring accesses; each thread makes ITEMS of
 * them, a block apart, all loads before the first store, so that ITEMS loads are in flight per thread.
 *
 *   load        access k reads at k * stride, writes at k          (coalescing of loads)
 *   store       access k reads at k, writes at k * stride          (coalescing of stores)
 *   gridstride  like load, but a fixed grid walks over the array   (what a persistent kernel does)
 *
 * `offset` shifts the strided side by that many elements off its aligned start. */
#include "device.cuh"

#ifndef ELEMENT_SIZE
#error "ELEMENT_SIZE (axis dtype) is not defined"
#endif
#ifndef VECTOR
#error "VECTOR is not defined"
#endif
#ifndef ITEMS
#error "ITEMS is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif

typedef bytes_of<ELEMENT_SIZE> element; /* a copy moves bits: their meaning does not matter */
typedef bytes_of<VECTOR * ELEMENT_SIZE> access;

/* `in` and `out` are aligned allocations; `accesses` of them are made; `stride` counts accesses. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    copy(const element *__restrict__ in, element *__restrict__ out, u64 accesses, u64 stride, u64 offset)
{
#if defined(variant_load) || defined(variant_gridstride)
    const access *from = (const access *)(in + offset);
    access *to = (access *)out;
    const u64 from_stride = stride, to_stride = 1;
#elif defined(variant_store)
    const access *from = (const access *)in;
    access *to = (access *)(out + offset);
    const u64 from_stride = 1, to_stride = stride;
#else
#error "no variant_... is defined"
#endif

#ifdef variant_gridstride
    const u64 step = (u64)gridDim.x * BLOCK * ITEMS;
#else
    const u64 step = accesses; /* the grid covers the array: one round */
#endif
    for (u64 first = (u64)blockIdx.x * BLOCK * ITEMS + threadIdx.x; first < accesses; first += step) {
        access value[ITEMS];
        if (first + (u64)(ITEMS - 1) * BLOCK < accesses) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                value[i] = from[(first + (u64)i * BLOCK) * from_stride];
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                to[(first + (u64)i * BLOCK) * to_stride] = value[i];
        } else { /* the last round of the last threads */
            for (int i = 0; i < ITEMS; i++)
                if (first + (u64)i * BLOCK < accesses)
                    to[(first + (u64)i * BLOCK) * to_stride] = from[(first + (u64)i * BLOCK) * from_stride];
        }
    }
}
