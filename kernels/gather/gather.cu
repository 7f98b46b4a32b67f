/* gather - out[i] = in[index[i]]: the same kernel, and what the indices hold is the experiment.
 *
 *   linear     index[i] = i: a warp's gathered loads are neighbours, as in a copy
 *   strided    index[i] = i * stride, wrapped around so that each element is read once
 *   permuted   a random permutation: each element once, every lane of a warp in a sector of its own
 *   random     random indices: like permuted, but some elements are read twice and some never
 *
 * The patterns are in the data, so all four run the same machine code. Neighbouring threads take neighbouring indices; each
 * thread takes ITEMS of them, a block's width apart: all indices are loaded first, then all elements, so that ITEMS gathered
 * loads are in flight per thread. `hint` is what the gathered loads and the stores of whole blocks tell the caches (hint.cuh);
 * indices are read as they are. */
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

typedef bytes_of<ELEMENT_SIZE> element; /* gathering moves bits: their meaning does not matter */

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
