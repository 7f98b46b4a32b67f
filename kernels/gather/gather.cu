/* gather - out[i] = in[index[i]], for different patterns of indices.
 *
 *   linear     index[i] = i: a warp loads neighbouring elements, as in a copy
 *   strided    index[i] = i * stride, wrapped around so that each element is read once
 *   permuted   a random permutation: each element is read once, and each lane of a warp touches another
 *              sector
 *   random     random indices: some elements are read several times, some never
 *
 * The patterns are in the data, so all four run the same machine code. Neighbouring threads take neighbouring
 * indices. Each thread takes ITEMS indices, a block's width apart, and loads all indices, then all elements:
 * ITEMS gathered loads are in flight per thread. `hint` selects the cache hints of the gathered loads and of
 * the stores of whole blocks (hint.cuh); loads of indices have no hint. */
#include "device.cuh"
#include "hint.cuh"

#ifndef ELEMENT_SIZE
#error "ELEMENT_SIZE (axis dtype) is not defined"
#endif
#ifndef ITEMS
#error "ITEMS is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif

#if defined(index_dtype_i32)
typedef int index_type;
#elif defined(index_dtype_i64)
typedef long long index_type;
#else
#error "no index_dtype_... is defined"
#endif

typedef bytes_of<ELEMENT_SIZE> element; /* only bits are moved, whatever their type */

extern "C" __global__ void __launch_bounds__(BLOCK)
    gather(const element *__restrict__ in, const index_type *__restrict__ index, element *__restrict__ out,
           u64 count)
{
    const u64 start = (u64)blockIdx.x * (BLOCK * ITEMS);
    index += start + threadIdx.x;
    out += start + threadIdx.x;
    if (count - start >= BLOCK * ITEMS) {
        index_type at[ITEMS];
        element value[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            at[i] = index[i * BLOCK];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            value[i] = hinted_load(&in[at[i]]);
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            hinted_store(&out[i * BLOCK], value[i]);
    } else { /* the last block */
        const u32 rest = (u32)(count - start);
#pragma unroll 1
        for (u32 i = threadIdx.x; i < rest; i += BLOCK) {
            *out = in[*index];
            index += BLOCK;
            out += BLOCK;
        }
    }
}
