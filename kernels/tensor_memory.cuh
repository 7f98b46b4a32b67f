/* tensor_memory.cuh - tensor memory (sm_100a, sm_103a, sm_110a and their families): allocation, loads,
 * stores, and their order. Included by NAME.cu as "tensor_memory.cuh". `BLOCKS` is the instructions'
 * cta_group: 1, or 2 blocks of a cluster.
 *
 * From the PTX ISA, "TensorCore 5th Generation Family Instructions". Tensor memory has 128 rows ("lanes") of
 * 512 columns of 32 bits; an address has the row in its upper half and the column in its lower half. */
#ifndef KERNELS_TENSOR_MEMORY_CUH
#define KERNELS_TENSOR_MEMORY_CUH

#include "bulk.cuh"

enum { TENSOR_MEMORY_COLUMNS = 512, TENSOR_MEMORY_ROWS = 128 };

/* A warp, in each of the blocks: `COLUMNS` columns, a power of two from 32 on. Their address is written to
 * shared memory; it waits until there are so many. */
template <int BLOCKS, int COLUMNS> static __device__ __forceinline__ void allocate_columns(u32 address)
{
    static_assert(COLUMNS >= 32 && COLUMNS <= TENSOR_MEMORY_COLUMNS && (COLUMNS & (COLUMNS - 1)) == 0,
                  "tensor memory is allocated by powers of two");
    if (BLOCKS == 1)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;\n"
                     "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::"r"(address),
                     "n"(COLUMNS)
                     : "memory");
    else
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;\n"
                     "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::"r"(address),
                     "n"(COLUMNS)
                     : "memory");
}

/* The same warp, when nobody uses them any more. */
template <int BLOCKS, int COLUMNS> static __device__ __forceinline__ void free_columns(u32 columns)
{
    if (BLOCKS == 1)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(columns), "n"(COLUMNS)
                     : "memory");
    else
        asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(columns), "n"(COLUMNS)
                     : "memory");
}

/* Order what tensor cores do before a barrier, or after it, as the barrier orders what threads do. */
static __device__ __forceinline__ void before_barrier()
{
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

static __device__ __forceinline__ void after_barrier()
{
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

#define TENSOR_WORDS_8(d, i)                                                                                 \
    "=r"(d[i]), "=r"(d[i + 1]), "=r"(d[i + 2]), "=r"(d[i + 3]), "=r"(d[i + 4]), "=r"(d[i + 5]),              \
        "=r"(d[i + 6]), "=r"(d[i + 7])

/* A warp, of 32 columns: each lane gets those of its row. Warp w of a block has access to rows 32 (w mod 4)
 * to 32 (w mod 4) + 31, of which `address` has the first. */
static __device__ __forceinline__ void load_columns(u32 (&d)[32], u32 address)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11,"
                 " %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28,"
                 " %29, %30, %31}, [%32];\n"
                 "tcgen05.wait::ld.sync.aligned;"
                 : TENSOR_WORDS_8(d, 0), TENSOR_WORDS_8(d, 8), TENSOR_WORDS_8(d, 16), TENSOR_WORDS_8(d, 24)
                 : "r"(address)
                 : "memory");
}

/* A warp, of eight columns: each lane writes `word` to those of its row. Rows as above. */
static __device__ __forceinline__ void fill_columns(u32 address, u32 word)
{
    asm volatile(
        "tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1, %1, %1, %1, %1, %1, %1, %1};" ::"r"(address),
        "r"(word)
        : "memory");
}

/* A warp, of one column: each lane writes its own word to its row. Rows as above. */
static __device__ __forceinline__ void store_column(u32 address, u32 word)
{
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(address), "r"(word) : "memory");
}

static __device__ __forceinline__ void columns_filled()
{
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}

#endif
