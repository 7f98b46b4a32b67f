/* mma.cuh - the products of tensor cores by dtype: included by NAME.cu as "mma.cuh".
 *
 * An operand of one instruction has rows of 32 bytes along the sum, whatever the type: 16 elements of 16
 * bits, 8 of tf32, 32 of 8 bits. The same words of a row go to the same registers or places for every type
 * (PTX ISA, "Matrix Fragments for mma.m16n8k16" and its like; "Shared Memory Matrix Layout" of wgmma). Sums
 * are f32, of u8 i32. */
#ifndef KERNELS_MMA_CUH
#define KERNELS_MMA_CUH

#include "device.cuh"

/* Types of wgmma, columns of its left matrix, those of a sparse one, and its signs and, for 16 bits,
 * transpositions, which follow the predicate. */
#if defined(DTYPE_f16)
#define TYPES        "f32.f16.f16"
#define MMA_TAIL     ".row.col.f32.f16.f16.f32"
#define DEPTH        "k16"
#define DEPTH_SPARSE "k32"
#elif defined(DTYPE_bf16)
#define TYPES        "f32.bf16.bf16"
#define MMA_TAIL     ".row.col.f32.bf16.bf16.f32"
#define DEPTH        "k16"
#define DEPTH_SPARSE "k32"
#elif defined(DTYPE_tf32)
#define TYPES        "f32.tf32.tf32"
#define MMA_TAIL     ".row.col.f32.tf32.tf32.f32"
#define DEPTH        "k8"
#define DEPTH_SPARSE "k16"
#elif defined(DTYPE_e4m3)
#define TYPES        "f32.e4m3.e4m3"
#define MMA_TAIL     ".row.col.f32.e4m3.e4m3.f32"
#define DEPTH        "k32"
#define DEPTH_SPARSE "k64"
#elif defined(DTYPE_e5m2)
#define TYPES        "f32.e5m2.e5m2"
#define MMA_TAIL     ".row.col.f32.e5m2.e5m2.f32"
#define DEPTH        "k32"
#define DEPTH_SPARSE "k64"
#elif defined(DTYPE_u8)
#define TYPES        "s32.u8.u8"
#define MMA_TAIL     ".row.col.s32.u8.u8.s32"
#define DEPTH        "k32"
#define DEPTH_SPARSE "k64"
#elif defined(DTYPE_e2m1) /* with scales alone */
#else
#error "no product of this dtype"
#endif

/* What follows wgmma's predicate: plain signs, which integers have not; and that neither matrix in shared
 * memory is transposed, which only 16-bit types can be. */
#if defined(DTYPE_u8)
#define WGMMA_SIGNS_SS ""
#define WGMMA_SIGNS_RS ""
#elif defined(DTYPE_f16) || defined(DTYPE_bf16)
#define WGMMA_SIGNS_SS ", 1, 1, 0, 0"
#define WGMMA_SIGNS_RS ", 1, 1, 0"
#else
#define WGMMA_SIGNS_SS ", 1, 1"
#define WGMMA_SIGNS_RS ", 1, 1"
#endif

#ifdef DTYPE_u8
typedef int accumulator;
#define REGISTER(x) "+r"(x)
#else
typedef float accumulator;
#define REGISTER(x) "+f"(x)
#endif

/* 16 x 8 elements of a warp with block scales, of sm_120a: d += a b. `scales`: those of a lane's rows and
 * columns, four of one byte. Operands have rows of 32 bytes, as without scales (PTX ISA, "Block Scaling for
 * mma.sync"). */
#if defined(scale_e4m3)
#define MMA_SCALED "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3"
#elif defined(DTYPE_e2m1)
#define MMA_SCALED "m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0"
#elif defined(DTYPE_e4m3)
#define MMA_SCALED "m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0"
#elif defined(DTYPE_e5m2)
#define MMA_SCALED "m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e5m2.e5m2.f32.ue8m0"
#endif
#ifdef MMA_SCALED
[[maybe_unused]] static __device__ __forceinline__ void mma_scaled(accumulator *d, const u32 *a, const u32 *b,
                                                                   u32 scales)
{
    asm volatile("mma.sync.aligned." MMA_SCALED
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3},"
                 " %10, {0, 0}, %10, {0, 0};"
                 : REGISTER(d[0]), REGISTER(d[1]), REGISTER(d[2]), REGISTER(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(scales));
}
#endif

#ifdef MMA_TAIL

/* 16 x 8 elements of a warp: d += a b. */
static __device__ __forceinline__ void mma(accumulator *d, const u32 *a, const u32 *b)
{
    asm volatile("mma.sync.aligned.m16n8" DEPTH MMA_TAIL
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : REGISTER(d[0]), REGISTER(d[1]), REGISTER(d[2]), REGISTER(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Sparse products: the right matrix has rows of 64 bytes, the left one as many bytes as a dense one. With
 * these metadata, of every two neighbours in a row of the left matrix the first is zero, and only the second
 * is held: for 2:4 types they name elements 1 and 3 of each four; tf32 has 1:2, and they name element 1 of
 * each two (PTX ISA, "Sparse matrix storage"). */
#ifdef DTYPE_tf32
#define SPARSE_METADATA 0xeeeeeeeeu
#else
#define SPARSE_METADATA 0xddddddddu
#endif

/* d += a b. Of types of 16 and more bits, the selector says whose words of metadata count: 0 those of lanes 0
 * and 1 of each four, 1 those of lanes 2 and 3. Of types of one byte, those of all lanes do, and it is 0. */
template <int SELECTOR>
static __device__ __forceinline__ void mma_sparse(accumulator *d, const u32 *a, const u32 *b, u32 metadata)
{
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8" DEPTH_SPARSE MMA_TAIL
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, %13;"
                 : REGISTER(d[0]), REGISTER(d[1]), REGISTER(d[2]), REGISTER(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),
                   "r"(metadata), "n"(SELECTOR));
}

#endif

#endif
