/* host_copy - the kernels beside, or instead of, the driver's copies over the host link.
 *
 * Variants overlapped and round_trip: `mark` processes each part of an array beside its copy (round_trip
 * copies the part back to the host). The driver makes the copies; worker/cuda/launch/host_copy.c distributes
 * the parts over streams. On one stream the copy of a part, this kernel and the copy of the next part run one
 * after another. On several streams the copy engine transfers one part while the kernel processes another,
 * and the link is always busy.
 *
 * Variant zero_copy: `pass` reads one array and writes the other, and one of them, or both, are in host
 * memory. No copy engine takes part.
 *
 * Both set the lowest bit of every word; `mark` in place, after a copy to the device or before a copy to the
 * host. This is idempotent, so launches can be repeated. */
#include "device.cuh"

#if !defined(variant_overlapped) && !defined(variant_round_trip) && !defined(variant_zero_copy)
#error "no variant_... that has a kernel is defined"
#endif
#if !defined(WORK) || !defined(WIDTH)
#error "WORK or WIDTH is not defined"
#endif

/* WORK dependent multiply-adds by -1, a factor that the compiler does not know: x becomes b - x, and every
 * second step restores x. */
static __device__ __forceinline__ u32 work_on(u32 x)
{
    const u32 a = 0u - gridDim.z, b = 0x2545f491; /* the grid has one layer */
#pragma unroll 16
    for (int i = 0; i < WORK; i++)
        x = a * x + b;
    return x;
}

#ifdef variant_zero_copy
/* WIDTH bytes an access. */
union packet {
    bytes_of<WIDTH> whole;
    u32 word[WIDTH / 4];
};

extern "C" __global__ void pass(const bytes_of<WIDTH> *in, bytes_of<WIDTH> *out, u64 count)
{
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x) {
        packet packet;
        packet.whole = in[i];
#pragma unroll
        for (int k = 0; k < WIDTH / 4; k++)
            packet.word[k] = work_on(packet.word[k]) | 1;
        out[i] = packet.whole;
    }
}
#else
extern "C" __global__ void mark(u32 *part, u64 count)
{
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
        part[i] = work_on(part[i]) | 1;
}
#endif
