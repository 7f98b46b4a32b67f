/* tile_order.cuh - the order in which a matrix product takes the tiles of its result: included by NAME.cu as
 * "tile_order.cuh". */
#ifndef KERNELS_TILE_ORDER_CUH
#define KERNELS_TILE_ORDER_CUH

#include "device.cuh"

/* Tile `number` by row and column. Tiles are taken in groups of `group` rows, column by column: what runs at
 * the same time shares rows of A and B, which L2 then holds. */
static __device__ __forceinline__ uint2 place_of(u32 number, u32 down, u32 across, u32 group)
{
    const u32 first = number / (group * across) * group, inside = number % (group * across);
    const u32 rows = min(group, down - first);
    return make_uint2(first + inside % rows, inside / rows);
}

#endif
