/* bulk.cuh - mbarriers, and bulk copies that complete on them (from sm_90 on): included by NAME.cu as
 * "bulk.cuh". Addresses of shared memory have 32 bits, as in the instructions. */
#ifndef KERNELS_BULK_CUH
#define KERNELS_BULK_CUH

#include "device.cuh"

static __device__ __forceinline__ u32 shared_address(const void *generic)
{
    return (u32)__cvta_generic_to_shared(generic);
}

/* A phase completes when its single arrival has been made and the bytes that it announced have been
 * written. */
static __device__ __forceinline__ void barrier_init(u32 barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

static __device__ __forceinline__ void barrier_expect(u32 barrier, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

/* Wait for the phase of this parity; the first phase has parity 0. */
static __device__ __forceinline__ void barrier_wait(u32 barrier, u32 parity)
{
    asm volatile("{\n"
                 "    .reg .pred done;\n"
                 "again:\n"
                 "    mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "    @!done bra again;\n"
                 "}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

/* Copy `bytes`, a multiple of 16, from `from` to `to`; a barrier that expects them counts them. */
static __device__ __forceinline__ void bulk_copy(u32 to, const void *from, u32 bytes, u32 barrier)
{
    /* clang-format off */
    asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
                 "r"(to), "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
    /* clang-format on */
}

/* The same copy as the only one of a phase of the barrier. */
static __device__ __forceinline__ void bulk_load(u32 to, const void *from, u32 bytes, u32 barrier)
{
    barrier_expect(barrier, bytes);
    bulk_copy(to, from, bytes, barrier);
}

/* Dynamic shared memory of a block that loads one tile by bulk copies: the tile, then its barrier. Its size
 * is rules_bulk_shared (family/rules.h). */
extern __shared__ __align__(128) u64 bulk_tile[];

/* Load the block's only tile, of `bytes` bytes: one thread calls `ask(tile, barrier)`, which starts the
 * copies; together they must have `bytes` bytes. All threads may read the tile on return. The copies start
 * before the barrier expects their bytes; it cannot complete before that. */
template <typename Ask> static __device__ __forceinline__ void bulk_tile_load(u32 bytes, Ask ask)
{
    const u32 tile = shared_address(bulk_tile), barrier = tile + bytes;
    if (threadIdx.x == 0) {
        barrier_init(barrier);
        asm volatile("fence.proxy.async.shared::cta;" ::
                         : "memory"); /* make the initialised barrier visible to the copies */
        ask(tile, barrier);
        barrier_expect(barrier, bytes);
    }
    __syncthreads(); /* and to the other threads */
    barrier_wait(barrier, 0);
}

#endif
