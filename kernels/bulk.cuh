/* bulk.cuh - mbarriers, and the copies in bulk that arrive at them (sm_90 on): included by NAME.cu as "bulk.cuh". Shared memory
 * is addressed as the instructions do, by 32 bits. */
#ifndef KERNELS_BULK_CUH
#define KERNELS_BULK_CUH

#include "device.cuh"

static __device__ __forceinline__ u32 shared_address(const void *generic)
{
    return (u32)__cvta_generic_to_shared(generic);
}

/* One arrival completes a phase, once the bytes that it announces are there. */
static __device__ __forceinline__ void barrier_init(u32 barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

static __device__ __forceinline__ void barrier_expect(u32 barrier, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

/* Wait until the phase of this parity, 0 for the first, is complete. */
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

/* Ask for `bytes`, a multiple of 16, at `from`, to arrive at `to` and be counted by a barrier that expects them. */
static __device__ __forceinline__ void bulk_copy(u32 to, const void *from, u32 bytes, u32 barrier)
{
    /* clang-format off */
    asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
                 "r"(to), "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
    /* clang-format on */
}

/* Such a copy that is all that a phase of the barrier waits for. */
static __device__ __forceinline__ void bulk_load(u32 to, const void *from, u32 bytes, u32 barrier)
{
    barrier_expect(barrier, bytes);
    bulk_copy(to, from, bytes, barrier);
}

/* Dynamic shared memory of a block that loads one tile in bulk: the tile, then its barrier; rules_bulk_shared of
 * family/rules.h bytes. */
extern __shared__ __align__(128) u64 bulk_tile[];

/* The block's only tile of `bytes` bytes: `ask(tile, barrier)` is called by one thread and makes the copies into it, which come
 * to that many bytes together. When this returns they are there, for all threads. The copies are on their way before the
 * barrier is told what to expect: it cannot complete before that. */
template <typename Ask> static __device__ __forceinline__ void bulk_tile_load(u32 bytes, Ask ask)
{
    const u32 tile = shared_address(bulk_tile), barrier = tile + bytes;
    if (threadIdx.x == 0) {
        barrier_init(barrier);
        asm volatile("fence.proxy.async.shared::cta;" ::
                         : "memory"); /* the copies see an initialised barrier */
        ask(tile, barrier);
        barrier_expect(barrier, bytes);
    }
    __syncthreads(); /* so do the other threads */
    barrier_wait(barrier, 0);
}

#endif
