/* lookup - out[i] = table[index[i]] for a small table: ways to read it, and what the compiler must know.
 *
 *   plain      ordinary pointers: any store may change the table, so each lookup waits for the store before
 *              it
 *   restrict   the same code with __restrict__ on all pointers: the compiler may use the read-only path
 *              (ld.global.nc) and issue all ITEMS lookups of a thread before its first store
 *   ldg        ordinary pointers, and __ldg for each load, which promises the same as restrict
 *   constant   the table in constant memory: one entry for all lanes is as fast as a register, 32 entries
 *              take 32 reads
 *   texture    the table through a texture object: the path of the texture units to the same L1
 *   texture2d  the table as a two-dimensional texture in an array, whose layout keeps neighbours of both
 *              dimensions close
 *   shared     each block copies the table to shared memory, then processes its share of the tiles
 *
 * The index is read from an array, or computed: i modulo the number of entries, which is then a power of two
 * (`indices`). With LOOKUPS over 1, each output is the sum of LOOKUPS neighbouring entries, wrapped around at
 * the end of the table: more reads of the table for the same memory traffic. The index pattern is in the
 * data. */
#include "device.cuh"

#ifndef ELEMENT_SIZE
#error "ELEMENT_SIZE (axis dtype) is not defined"
#endif
#ifndef LOOKUPS
#error "LOOKUPS is not defined"
#endif
#ifndef ITEMS
#error "ITEMS is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif

#ifdef DTYPE_i32
typedef u32 element; /* sums wrap around */
#else
typedef ELEMENT element;
#endif

#if defined(variant_plain) || defined(variant_ldg)
#define POINTER *
#elif defined(variant_restrict) || defined(variant_constant) || defined(variant_texture) ||                  \
    defined(variant_texture2d) || defined(variant_shared)
#define POINTER *__restrict__
#else
#error "no variant_... is defined"
#endif

#if defined(variant_constant)
__constant__ element lookup_table[65536 / ELEMENT_SIZE];
#elif defined(variant_shared)
extern __shared__ element staged[];
#endif

#if defined(variant_texture) || defined(variant_texture2d)
typedef cudaTextureObject_t table_type;
#else
typedef const element POINTER table_type;
#endif

#if defined(variant_texture2d)
/* Whole coordinates, as tex1Dfetch has them: tex2D would convert both to float. */
static __device__ inline element texel(cudaTextureObject_t table, u32 x, u32 y)
{
    element value, other[3];
#ifdef DTYPE_i32
    asm("tex.2d.v4.s32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=r"(value), "=r"(other[0]), "=r"(other[1]), "=r"(other[2])
        : "l"(table), "r"(x), "r"(y));
#else
    asm("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=f"(value), "=f"(other[0]), "=f"(other[1]), "=f"(other[2])
        : "l"(table), "r"(x), "r"(y));
#endif
    return value;
}
#endif

/* `columns`: binary logarithm of those of a two-dimensional table. */
static __device__ inline element entry(table_type table, u32 at, [[maybe_unused]] u32 columns)
{
#if defined(variant_constant)
    return lookup_table[at];
#elif defined(variant_shared)
    return staged[at];
#elif defined(variant_texture2d)
    return texel(table, at & ((1u << columns) - 1), at >> columns);
#elif defined(variant_texture) && defined(DTYPE_i32)
    return (element)tex1Dfetch<int>(table, (int)at);
#elif defined(variant_texture)
    return tex1Dfetch<element>(table, (int)at);
#elif defined(variant_ldg)
    return __ldg(table + at);
#else
    return table[at];
#endif
}

/* The index of element i of the tile that starts at `start`. */
static __device__ inline u32 first_entry(const u32 POINTER index, [[maybe_unused]] u64 start, u32 i,
                                         [[maybe_unused]] u32 entries)
{
#if defined(indices_computed)
    return ((u32)start + i) & (entries - 1);
#elif !defined(indices_array)
#error "no indices_... is defined"
#elif defined(variant_ldg)
    return __ldg(index + i);
#else
    return index[i];
#endif
}

static __device__ inline element look_up(table_type table, u32 entries, [[maybe_unused]] u32 columns, u32 at)
{
    element sum = entry(table, at, columns);
#pragma unroll
    for (int i = 1; i < LOOKUPS; i++) {
        at = at + 1 == entries ? 0 : at + 1;
        sum += entry(table, at, columns);
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    lookup(const u32 POINTER index, table_type table, element POINTER out, u64 count, u32 entries)
{
    const u32 tile = BLOCK * ITEMS;
    [[maybe_unused]] const u32 columns = (31 - __clz((int)entries)) / 2; /* as columns_log2 in lookup.c */
#ifdef variant_shared
    for (u32 i = threadIdx.x; i < entries; i += BLOCK)
        staged[i] = table[i];
    __syncthreads();
#endif
#pragma unroll 1
    for (u64 start = (u64)blockIdx.x * tile; start < count; start += (u64)gridDim.x * tile) {
        if (count - start >= tile) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                const u32 k = threadIdx.x + i * BLOCK;
                (out + start)[k] =
                    look_up(table, entries, columns, first_entry(index + start, start, k, entries));
            }
        } else { /* the last tile */
            const u32 rest = (u32)(count - start);
#pragma unroll 1
            for (u32 k = threadIdx.x; k < rest; k += BLOCK)
                (out + start)[k] =
                    look_up(table, entries, columns, first_entry(index + start, start, k, entries));
        }
    }
}
