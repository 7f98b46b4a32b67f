/* shared_stride - shared-memory bank conflicts as a function of stride.
 *
 * Shared memory has 32 banks of 4-byte words. Words of the same bank are served one after another, in
 * separate wavefronts; lanes that access the same word share it. A warp accesses WIDTH bytes per lane,
 * `stride` accesses apart:
 *
 *   read       lane i reads access i * stride: 32 / gcd(32, stride) banks are used (4-byte words), the others
 *              are idle
 *   write      the same pattern for stores; with stride 0 all lanes store the same value to the same address
 *   ldmatrix   four matrices of eight rows of 16 bytes, the operands of mma: lane i has the address of row i,
 *              i * stride, and gets a word of a row of each
 *   stmatrix   the same the other way, from sm_90 on
 *   broadcast  four neighbouring lanes read the same access, i / 4 * stride: eight different accesses per
 *              warp
 *
 * Accesses of 8 and 16 bytes take at least two and four wavefronts: 128 bytes are those of a half and a
 * quarter of a warp. The accesses do not depend on each other or on the loaded values, so that wavefronts are
 * the only limit. They are volatile, so that the compiler does not hoist, merge or remove them. */
#include "device.cuh"

#ifndef WIDTH
#error "WIDTH is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif
#if !defined(variant_read) && !defined(variant_write) && !defined(variant_broadcast) &&                      \
    !defined(variant_ldmatrix) && !defined(variant_stmatrix)
#error "no variant_... is defined"
#endif

enum { WORDS = WIDTH / 4, UNROLL = 16 };

/* Registers must suffice for 1024 threads per multiprocessor, for which shared_stride.c sizes the grid. */
enum { RESIDENT = BLOCK < 1024 ? 1024 / BLOCK : 1 };

struct words {
    u32 part[WORDS];
};

static __device__ __forceinline__ words read_shared(u32 at)
{
    words value;
#ifdef variant_ldmatrix
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.part[0]), "=r"(value.part[1]), "=r"(value.part[2]), "=r"(value.part[3])
                 : "r"(at)
                 : "memory");
#elif WIDTH == 4
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

#if defined(variant_write) || defined(variant_stmatrix)
static __device__ __forceinline__ void write_shared(u32 at, const words &value)
{
#ifdef variant_stmatrix
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
                 "r"(value.part[0]), "r"(value.part[1]), "r"(value.part[2]), "r"(value.part[3])
                 : "memory");
#elif WIDTH == 4
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

/* The accesses of a warp cover `count` words, copied from `in`; all warps of a block use the same words. Each
 * thread makes its block's share of `rounds` x UNROLL accesses, and writes a number that depends on all
 * loads, or on its last store. */
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
#ifdef variant_ldmatrix
    const u32 nothing =
        rounds >> 31; /* 0, which the assembler does not know: it would make one ldmatrix of equal ones */
#else
    const u32 nothing = 0;
#endif
    u32 sum = 0;
#if defined(variant_write) || defined(variant_stmatrix)
    words value;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
#ifdef variant_stmatrix
        value.part[i] = in[(8 * i + lane / 4) * stride * WORDS + lane % 4]; /* of row lane / 4 of matrix i */
#else
        value.part[i] = in[index * WORDS + i];
#endif
    for (u32 round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL; i++) {
            value.part[0]++; /* makes the last store differ from all others */
            write_shared(at, value);
        }
    }
    __syncthreads(); /* the last stores of all warps leave the same values */
    sum = sum_of(read_shared(at));
#else
#pragma unroll 1 /* otherwise lanes with one word more diverge from their warp and repeat its requests */
    for (u32 i = threadIdx.x; i < count; i += BLOCK)
        shared[i] = in[i];
    __syncthreads();
    for (u32 round = 0; round < rounds; round++) {
        words value[UNROLL];
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            value[i] = read_shared(at + i * nothing);
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            sum += sum_of(value[i]);
    }
#endif
    out[(u64)blockIdx.x * BLOCK + threadIdx.x] = sum;
}
