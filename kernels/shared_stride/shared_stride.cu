/* shared_stride - the ladder of shared-memory bank conflicts.
 *
 * Shared memory has 32 banks of 4-byte words. Words of one bank are delivered one after another (wavefronts), except
 * that lanes that want the same word share it. A warp accesses WIDTH bytes a lane, `stride` accesses apart:
 *
 *   read       lane i reads access i * stride: 32 / gcd(...) banks answer, the others stand idle
 *   write      the same pattern, stored; with stride 0 all lanes store the same value to the same place
 *   broadcast  four neighbouring lanes read the same access, i / 4 * stride: eight different ones a warp
 *
 * 8- and 16-byte accesses take at least two and four wavefronts: a half and a quarter of a warp each make 128
 * bytes. The accesses are independent of each other and of what they deliver, so that a multiprocessor is bound by
 * its wavefronts alone; they are volatile, so that none is hoisted, joined or left out. */
#include "device.cuh"

#ifndef WIDTH
#error "WIDTH is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif
#if !defined(variant_read) && !defined(variant_write) && !defined(variant_broadcast)
#error "no variant_... is defined"
#endif

enum { WORDS = WIDTH / 4, UNROLL = 16 };

/* 1024 threads of a multiprocessor get their registers: shared_stride.c makes the grid of as many. */
enum { RESIDENT = BLOCK < 1024 ? 1024 / BLOCK : 1 };

struct words {
    u32 part[WORDS];
};

static __device__ __forceinline__ words read_shared(u32 at)
{
    words value;
#if WIDTH == 4
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value.part[0]) : "r"(at) : "memory");
#elif WIDTH == 8
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(value.part[0]), "=r"(value.part[1])
                 : "r"(at)
                 : "memory");
#elif WIDTH == 16
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.part[0]), "=r"(value.part[1]), "=r"(value.part[2]), "=r"(value.part[3])
                 : "r"(at)
                 : "memory");
#else
#error "WIDTH is none of 4, 8 and 16"
#endif
    return value;
}

#ifdef variant_write
static __device__ __forceinline__ void write_shared(u32 at, const words &value)
{
#if WIDTH == 4
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(value.part[0]) : "memory");
#elif WIDTH == 8
    asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(value.part[0]), "r"(value.part[1])
                 : "memory");
#else
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(value.part[0]),
                 "r"(value.part[1]), "r"(value.part[2]), "r"(value.part[3])
                 : "memory");
#endif
}
#endif

static __device__ __forceinline__ u32 sum_of(const words &value)
{
    u32 sum = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        sum += value.part[i];
    return sum;
}

/* `count` words of `in` are what the warps' accesses reach; all warps of a block use the same ones. Each thread makes
 * its block's share of `rounds` x UNROLL accesses and writes one number that tells what it read, or what its last store left. */
extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT)
    shared_stride(const u32 *__restrict__ in, u32 *__restrict__ out, u32 count, u32 stride, u32 all_rounds)
{
    const u32 rounds = all_rounds / gridDim.x + (blockIdx.x < all_rounds % gridDim.x);
    extern __shared__ __align__(128) u32 shared[];
    const u32 lane = threadIdx.x % 32;
#ifdef variant_broadcast
    const u32 index = lane / 4 * stride;
#else
    const u32 index = lane * stride;
#endif
    const u32 at = (u32)__cvta_generic_to_shared(shared) + index * WIDTH;
    u32 sum = 0;
#ifdef variant_write
    words value;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        value.part[i] = in[index * WORDS + i];
    for (u32 round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            value.part[0]++; /* the last store is told from all others */
            write_shared(at, value);
        }
    }
    __syncthreads(); /* every warp's last store leaves the same */
    sum = sum_of(read_shared(at));
#else
#pragma unroll 1 /* else lanes with one word more part from their warp and make its requests again */
    for (u32 i = threadIdx.x; i < count; i += BLOCK)
        shared[i] = in[i];
    __syncthreads();
    for (u32 round = 0; round < rounds; round++) {
        words value[UNROLL];
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            value[i] = read_shared(at);
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            sum += sum_of(value[i]);
    }
#endif
    out[(u64)blockIdx.x * BLOCK + threadIdx.x] = sum;
}
