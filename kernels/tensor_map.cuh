/* tensor_map.cuh - bulk copies of boxes of a matrix by tensor maps (from sm_90 on), also into all blocks of a
 * cluster of `BLOCKS` along x: included by NAME.cu as "tensor_map.cuh". */
#ifndef KERNELS_TENSOR_MAP_CUH
#define KERNELS_TENSOR_MAP_CUH

#include "bulk.cuh"

/* The driver's tensor map, opaque to the kernel. */
struct __align__(64) tensor_map
{
    u64 opaque[16];
};

static __device__ __forceinline__ void prefetch_map(const tensor_map *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* Load a box at a column and row of a matrix. */
static __device__ __forceinline__ void load_box(u32 to, const tensor_map *map, u32 column, u32 row,
                                                u32 barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(column), "r"(row), "r"(barrier)
                 : "memory");
}

/* The same into all blocks of the cluster: to this place of each, counted by the barrier at this address of
 * each. */
template <int BLOCKS>
static __device__ __forceinline__ void load_box_for_all(u32 to, const tensor_map *map, u32 column, u32 row,
                                                        u32 barrier)
{
    if (BLOCKS == 1)
        load_box(to, map, column, row, barrier);
    else
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                     "l"(map), "r"(column), "r"(row), "r"(barrier), "h"((u16)((1 << BLOCKS) - 1))
                     : "memory");
}

/* From sm_100 on: load a box into this block's shared memory, counted by the barrier at this address of the
 * first of two blocks whose tensor cores multiply together; of one block, by its own. */
template <int BLOCKS>
static __device__ __forceinline__ void load_box_of_pair(u32 to, const tensor_map *map, u32 column, u32 row,
                                                        u32 barrier)
{
    if (BLOCKS == 1)
        load_box(to, map, column, row, barrier);
    else
        asm volatile("{.reg .b32 first; mapa.shared::cluster.u32 first, %4, 0;\n"
                     "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".cta_group::2 [%0], [%1, {%2, %3}], [first];}" ::"r"(to),
                     "l"(map), "r"(column), "r"(row), "r"(barrier)
                     : "memory");
}

static __device__ __forceinline__ void store_box(u32 from, const tensor_map *map, u32 column, u32 row)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;" ::"l"(map),
                 "r"(column), "r"(row), "r"(from)
                 : "memory");
}

/* Wait until all but `LEFT` of this thread's stores have read what they store. */
template <int LEFT> static __device__ __forceinline__ void wait_stores_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}

template <int BLOCKS> static __device__ __forceinline__ u32 rank_in_cluster()
{
    u32 rank = 0;
    if (BLOCKS > 1)
        asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* All threads of the cluster. What they did before is visible after it. */
template <int BLOCKS> static __device__ __forceinline__ void sync_cluster()
{
    if (BLOCKS > 1)
        asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
    else
        __syncthreads();
}

static __device__ __forceinline__ void barrier_init_for(u32 barrier, u32 arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/* Arrive at the barrier at this address in block `rank` of the cluster. */
template <int BLOCKS> static __device__ __forceinline__ void barrier_arrive(u32 barrier, u32 rank)
{
    if (BLOCKS > 1)
        asm volatile("{.reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
                     " mbarrier.arrive.shared::cluster.b64 _, [there];}" ::"r"(barrier),
                     "r"(rank)
                     : "memory");
    else
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

#endif
