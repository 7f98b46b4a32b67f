/* host_copy - the kernel that processes each part of an array beside its copy over the host link (variants overlapped and
 * round_trip; the latter copies the part back to the host).
 *
 * The driver makes the copies; worker/cuda/launch/host_copy.c distributes the parts over streams. On one stream the copy of a
 * part, this kernel and the copy of the next part run one after another. On several streams the copy engine transfers
 * one part while the kernel processes another, and the link is always busy.
 *
 * The kernel sets the lowest bit of every word, in place, after a copy to the device or before a copy to the host. This is
 * idempotent, so launches can be repeated. */
#include "device.cuh"

#if !defined(variant_overlapped) && !defined(variant_round_trip)
#error "no variant_... that has a kernel is defined"
#endif
#ifndef WORK
#error "WORK is not defined"
#endif

/* WORK dependent multiply-adds by -1, a factor that the compiler does not know: x becomes b - x, and every second step restores
 * x. */
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
