/* tcgen05.cuh - tensor cores of the fifth generation (sm_100a, sm_103a, sm_110a and their families), whose
 * sums lie in tensor memory: included by NAME.cu as "tcgen05.cuh" after the dtype's macros. `BLOCKS` is the
 * instructions' cta_group: 1, or 2 blocks of a cluster whose tensor cores multiply together, by order of one
 * thread of the first.
 *
 * From the PTX ISA, "TensorCore 5th Generation Family Instructions". */
#ifndef KERNELS_TCGEN05_CUH
#define KERNELS_TCGEN05_CUH

#include "tensor_memory.cuh"

/* Kind of the product, and the formats of its sums and operands ("Instruction descriptor"). */
#if defined(DTYPE_f16)
#define TCGEN05_KIND "f16"
enum { FORMAT_OF_SUMS = 1, FORMAT = 0 };
#elif defined(DTYPE_bf16)
#define TCGEN05_KIND "f16"
enum { FORMAT_OF_SUMS = 1, FORMAT = 1 };
#elif defined(DTYPE_tf32)
#define TCGEN05_KIND "tf32"
enum { FORMAT_OF_SUMS = 1, FORMAT = 2 };
#elif defined(DTYPE_e4m3)
#define TCGEN05_KIND "f8f6f4"
enum { FORMAT_OF_SUMS = 1, FORMAT = 0 };
#elif defined(DTYPE_e5m2)
#define TCGEN05_KIND "f8f6f4"
enum { FORMAT_OF_SUMS = 1, FORMAT = 1 };
#elif defined(DTYPE_u8)
#define TCGEN05_KIND "i8"
enum { FORMAT_OF_SUMS = 2, FORMAT = 0 };
#elif defined(DTYPE_e2m1) /* with scales only, see below */
#define TCGEN05_KIND "mxf4"
enum { FORMAT_OF_SUMS = 1, FORMAT = 1 };
#else
#error "no product of this dtype"
#endif

/* The instruction descriptor of rows x columns, both operands along the sum. `negated`: the left matrix
 * changes its signs, which integers cannot. */
static __device__ constexpr u32 instruction_of(u32 rows, u32 columns, bool negated = false)
{
    return FORMAT_OF_SUMS << 4 | FORMAT << 7 | FORMAT << 10 | (u32)negated << 13 | columns / 8 << 17 |
           rows / 16 << 24;
}

/* A matrix in shared memory in rows of 128 swizzled bytes, which begins at a multiple of 1024: address, and
 * distance of groups of eight rows, in units of 16 bytes ("Shared memory descriptor"). Its address may be
 * advanced by 32 bytes inside of a row. */
static __device__ __forceinline__ u64 swizzled_descriptor(u32 address)
{
    return (u64)(address >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 46 | 2ull << 61;
}

/* A matrix in shared memory, without swizzle: parts of 8 rows x 16 bytes; address, distance between parts of
 * neighbouring columns, and between those of neighbouring rows, all in bytes. */
static __device__ __forceinline__ u64 plain_descriptor(u32 address, u32 columns_apart, u32 rows_apart)
{
    return (u64)(address >> 4) | (u64)(columns_apart >> 4) << 16 | (u64)(rows_apart >> 4) << 32 | 1ull << 46;
}

/* One thread: d = a b, or d += a b. It is done some time. `a` is a descriptor, or the address of rows in
 * tensor memory, whose 32 bytes lie in eight columns. */
#define TCGEN05_MULTIPLY(blocks, left, constraint)                                                           \
    asm volatile("{.reg .pred add; setp.ne.b32 add, %4, 0;\n"                                                \
                 "tcgen05.mma.cta_group::" blocks ".kind::" TCGEN05_KIND " [%0], " left                      \
                 ", %2, %3, add;}" ::"r"(d),                                                                 \
                 constraint(a), "l"(b), "r"(instruction), "r"(add)                                           \
                 : "memory")

template <int BLOCKS>
static __device__ __forceinline__ void tensor_multiply(u32 d, u64 a, u64 b, u32 instruction, u32 add)
{
    if (BLOCKS == 1)
        TCGEN05_MULTIPLY("1", "%1", "l");
    else
        TCGEN05_MULTIPLY("2", "%1", "l");
}

template <int BLOCKS>
static __device__ __forceinline__ void tensor_multiply(u32 d, u32 a, u64 b, u32 instruction, u32 add)
{
    if (BLOCKS == 1)
        TCGEN05_MULTIPLY("1", "[%1]", "r");
    else
        TCGEN05_MULTIPLY("2", "[%1]", "r");
}

/* The size of a block of scales. Families have only `.block32` and `.block16`, which compilers before CUDA
 * 12.9 do not know; on sm_100a both are the same instruction. */
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 9)
#define SCALE_BLOCK(elements, vector) ".block" elements
#else
#define SCALE_BLOCK(elements, vector) ".scale_vec::" vector
#endif

/* Products with a scale of e8m0 for each 32 elements of a row of either matrix, or of e4m3 for each 16
 * (NVFP4). Scales lie in tensor memory: those of 128 rows and four such blocks in four columns, of which
 * column c has rows 32 c to 32 c + 31, a word for each. They lie there four times, for each quarter of the
 * rows of tensor memory (PTX ISA, "Block Scaling"). `id` is the first byte of the word for a product, whose
 * 32 bytes of a row are one block, of e2m1 two of 32 elements or four of 16. */
#if defined(scale_e4m3)
#define TCGEN05_SCALED "mxf4nvf4.block_scale" SCALE_BLOCK("16", "4X")
enum { SCALES_OF_E8M0 = 0 };
#elif defined(DTYPE_e2m1)
#define TCGEN05_SCALED "mxf4.block_scale" SCALE_BLOCK("32", "2X")
enum { SCALES_OF_E8M0 = 1 };
#else
#define TCGEN05_SCALED "mxf8f6f4.block_scale" SCALE_BLOCK("32", "1X")
enum { SCALES_OF_E8M0 = 1 };
#endif

static __device__ constexpr u32 scaled_instruction_of(u32 rows, u32 columns, u32 id, bool negated = false)
{
    return id << 4 | FORMAT << 7 | FORMAT << 10 | (u32)negated << 13 | columns / 8 << 17 |
           (u32)SCALES_OF_E8M0 << 23 | rows / 128 << 27 | id << 29;
}

/* One thread: as tensor_multiply. Each of two blocks has the scales of its own rows of A, and of all rows of
 * B. */
#define TCGEN05_MULTIPLY_SCALED(blocks, left, constraint)                                                    \
    asm volatile("{.reg .pred add; setp.ne.b32 add, %6, 0;\n"                                                \
                 "tcgen05.mma.cta_group::" blocks ".kind::" TCGEN05_SCALED " [%0], " left                    \
                 ", %2, %3, [%4], [%5], add;}" ::"r"(d),                                                     \
                 constraint(a), "l"(b), "r"(instruction), "r"(scales_a), "r"(scales_b), "r"(add)             \
                 : "memory")

template <int BLOCKS>
static __device__ __forceinline__ void tensor_multiply_scaled(u32 d, u64 a, u64 b, u32 instruction,
                                                              u32 scales_a, u32 scales_b, u32 add)
{
    if (BLOCKS == 1)
        TCGEN05_MULTIPLY_SCALED("1", "%1", "l");
    else
        TCGEN05_MULTIPLY_SCALED("2", "%1", "l");
}

template <int BLOCKS>
static __device__ __forceinline__ void tensor_multiply_scaled(u32 d, u32 a, u64 b, u32 instruction,
                                                              u32 scales_a, u32 scales_b, u32 add)
{
    if (BLOCKS == 1)
        TCGEN05_MULTIPLY_SCALED("1", "[%1]", "r");
    else
        TCGEN05_MULTIPLY_SCALED("2", "[%1]", "r");
}

/* The same thread: the scales of 128 rows and four blocks, 32 rows of 16 bytes in shared memory, into four
 * columns. Products that are ordered later by this thread read them (PTX ISA, "Pipelined tcgen05
 * Instructions"). */
static __device__ __forceinline__ void load_scales(u32 columns, u32 address)
{
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(columns),
                 "l"(plain_descriptor(address, 0, 8 * 16))
                 : "memory");
}

/* The same thread: an arrival at this barrier when all of its products so far are done; of two blocks, at the
 * barriers at this address of both. */
template <int BLOCKS> static __device__ __forceinline__ void arrive_when_multiplied(u32 barrier)
{
    if (BLOCKS == 1)
        asm volatile(
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
            : "memory");
    else
        asm volatile(
            "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"
            " [%0], %1;" ::"r"(barrier),
            "h"((u16)3)
            : "memory");
}

/* True in one thread of a whole warp, the same one each time. */
static __device__ __forceinline__ bool elected()
{
    u32 chosen;
    asm volatile("{.reg .pred one; elect.sync _|one, -1; selp.u32 %0, 1, 0, one;}" : "=r"(chosen));
    return chosen != 0;
}

#endif
