/* tensor_matmul - C = A B' on tensor cores: A is m x k, B is n x k, C is m x n, all row-major. The types of
 * products and sums are in mma.cuh.
 *
 * A block computes tiles of 128 x TILE_N elements of C. SLICE columns of A and B, 128 bytes of each row, are
 * staged in shared memory at a time, in STAGES buffers. The same bytes go the same way for every type.
 *
 *   mma      tensor_mma.cuh: operands go into registers
 *   wgmma    tensor_wgmma.cuh: operands stay in shared memory
 *   tcgen05  tensor_tcgen05.cuh: as wgmma, but sums lie in tensor memory, and two blocks may multiply
 *            together
 *
 * Rows in shared memory are as long as a slice. Their 16-byte chunks are swizzled, so that eight chunks of
 * one column lie in eight different places modulo 128 bytes: of eight neighbouring rows, no two lie in the
 * same banks. */
#include "mma.cuh"
#include "tile_order.cuh"

#if defined(tile_shape_128x128)
#define TILE_N 128
#elif defined(tile_shape_128x256)
#define TILE_N 256
#else
#error "no tile_shape_... is defined"
#endif
#ifndef STAGES
#error "STAGES is not defined"
#endif
#ifndef CLUSTER
#error "CLUSTER is not defined"
#endif
#ifndef PROMOTE
#error "PROMOTE is not defined"
#endif
#if defined(sparse_on)
#define SPARSE 1
#elif defined(sparse_off)
#define SPARSE 0
#else
#error "no sparse_... is defined"
#endif
#if defined(scale_e8m0) || defined(scale_e4m3)
#define SCALED 1
#elif defined(scale_none)
#define SCALED 0
#else
#error "no scale_... is defined"
#endif
#if SCALED && !defined(variant_tcgen05)
#error "only tcgen05 has block scales"
#endif
#if SPARSE && defined(variant_tcgen05)
#error "tcgen05 has no sparse products here"
#endif

/* Elements of C, and two neighbours in a row as they are stored. Those of 2 bytes are of the type of A and B;
 * of fp8 they are bf16. */
#if defined(dtype_c_f32) || defined(DTYPE_tf32) || defined(DTYPE_u8)
#define C_BITS 32
typedef uint2 pair;
static __device__ __forceinline__ pair pair_of(const accumulator *d)
{
    return make_uint2(*(const u32 *)&d[0], *(const u32 *)&d[1]);
}
#elif defined(dtype_c_default)
#define C_BITS 16
typedef u32 pair;
#ifdef DTYPE_f16
#include <cuda_fp16.h>
static __device__ __forceinline__ pair pair_of(const accumulator *d)
{
    const __half2_raw raw = __floats2half2_rn(d[0], d[1]);
    return (u32)raw.x | (u32)raw.y << 16;
}
#else
#include <cuda_bf16.h>
static __device__ __forceinline__ pair pair_of(const accumulator *d)
{
    const __nv_bfloat162_raw raw = __floats2bfloat162_rn(d[0], d[1]);
    return (u32)raw.x | (u32)raw.y << 16;
}
#endif
#else
#error "no dtype_c_... is defined"
#endif

enum { TILE_M = 128, ROW_BYTES = 128, SLICE = ROW_BYTES / ELEMENT_SIZE, STEPS = 4 >> SPARSE };
typedef bytes_of<ELEMENT_SIZE> element;

/* With SPARSE, half of the elements of A are zeros that are not stored: a slice of A has 64 bytes of each
 * row, and metadata that name the places of its elements. These are a word, of types of one byte two, for
 * each of 256 threads: the 32 words of a warp are about 16 rows, in the order in which its lanes hold them
 * (reference.c). They lie in memory as in shared memory, slice after slice of each tile of A. */
enum { A_ROW_BYTES = ROW_BYTES >> SPARSE, A_BYTES = TILE_M * A_ROW_BYTES };
enum { WORDS = SPARSE * (ELEMENT_SIZE == 1 ? 2 : 1), METADATA_BYTES = 2 * TILE_M * 4 * WORDS };

/* A lane's words of metadata for 16 rows of a slice. */
struct metadata_words {
    u32 word[SPARSE ? WORDS : 1];
};

#if SPARSE
#define METADATA , const char *__restrict__ metadata
#else
#define METADATA
#endif

/* Results pass through shared memory in rows of 128 swizzled bytes. */
enum { C_SIZE = C_BITS / 8, C_COLUMNS = ROW_BYTES / C_SIZE };
typedef bytes_of<C_SIZE> result;

/* Stages in turn, and the parity of the phase of their barriers. */
struct turn {
    u32 stage, parity;
    __device__ __forceinline__ void advance()
    {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

#if defined(variant_mma) || (defined(variant_wgmma) && C_BITS == 32)
/* Where a lane's pair of eight rows and the `eighth`-th eight columns goes: lane l holds columns 2 (l mod 4)
 * and the next of row l / 4. */
static __device__ __forceinline__ u32 pair_offset(u32 first_row, u32 eighth)
{
    const u32 lane = threadIdx.x % 32, low = lane / 4;
    const u32 chunk = eighth * (C_SIZE / 2) + (C_SIZE == 4 ? lane % 4 / 2 : 0);
    return (first_row + low) * ROW_BYTES + (chunk ^ low) * 16 + lane % (C_SIZE == 4 ? 2 : 4) * (2 * C_SIZE);
}
#endif

#ifdef variant_mma

#include "tensor_mma.cuh"

#elif defined(variant_wgmma) || defined(variant_tcgen05)

#include "tensor_map.cuh"

#if CLUSTER > 1
#define IN_CLUSTERS __cluster_dims__(CLUSTER, 1, 1)
#else
#define IN_CLUSTERS
#endif

/* The tiles of the matrix, those of a cluster counted as one, and the block's rank in its cluster. */
struct tiles_of_all {
    u32 rank, tiles, down, across, group, slices;
    /* Row of the block's tile of A and column of C, in elements. */
    __device__ __forceinline__ uint2 place(u32 tile) const
    {
        const uint2 at = place_of(tile, down, across, group);
        return make_uint2((at.x * CLUSTER + rank) * TILE_M, at.y * TILE_N);
    }
};

#ifdef variant_tcgen05
#include "tensor_tcgen05.cuh"
#else
#include "tensor_wgmma.cuh"
#endif

#else
#error "no variant_... is defined"
#endif
