/* host_copy - what runs on each part of an array between its copy and the next one's (variant overlapped).
 *
 * The copies themselves are the driver's: worker/cuda/host_copy.c spreads the parts over streams. On one stream
 * a part's copy, this kernel and the next part's copy follow each other; on several, the copy engine brings a
 * part while the kernel works on another, and the link never waits.
 *
 * The kernel sets the lowest bit of every word. Doing that twice is doing it once, so that launches can be
 * repeated in either direction: to the device it follows a part's copy, to the host it precedes it, in place. */
#include "device.cuh"

#ifndef variant_overlapped
#error "no variant_... that has a kernel is defined"
#endif

extern "C" __global__ void mark(u32 *part, u64 count)
{
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
        part[i] |= 1;
}
