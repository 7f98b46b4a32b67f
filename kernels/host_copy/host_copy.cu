/* host_copy - what runs on each part of an array between its copy and the next one's (variants overlapped and round_trip,
 * which brings it back to the host).
 *
 * The copies themselves are the driver's: worker/cuda/launch/host_copy.c spreads the parts over streams. On one stream
 * a part's copy, this kernel and the next part's copy follow each other; on several, the copy engine brings a
 * part while the kernel works on another, and the link never waits.
 *
 * The kernel sets the lowest bit of every word. Doing that twice is doing it once, so that launches can be
 * repeated in either direction: to the device it follows a part's copy, to the host it precedes it, in place. */
#include "device.cuh"

#if !defined(variant_overlapped) && !defined(variant_round_trip)
#error "no variant_... that has a kernel is defined"
#endif
#ifndef WORK
#error "WORK is not defined"
#endif

/* WORK dependent multiply-adds by -1, which the assembler takes for any number: x becomes b - x, and every second one brings
 * it back. */
static __device__ __forceinline__ u32 work_on(u32 x)
{
    const u32 a = 0u - gridDim.z, b = 0x2545f491; /* the grid has one layer */
#pragma unroll 16
    for (int i = 0; i < WORK; i++)
        x = a * x + b;
    return x;
}

extern "C" __global__ void mark(u32 *part, u64 count)
{
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
        part[i] = work_on(part[i]) | 1;
}
