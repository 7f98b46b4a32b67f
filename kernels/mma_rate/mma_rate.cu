/* mma_rate - tensor cores on operands that stay where they are.
 *
 * Both matrices have rows of 32 bytes, whatever the type (mma.cuh). The right one is stored by columns:
 *
 *   mma        each warp: 16 x 8, all operands in registers
 *   wgmma_ss   four warps: 64 x SHAPE_N, both matrices in shared memory
 *   wgmma_rs   four warps: 64 x SHAPE_N, the left matrix in registers
 *   tcgen05    one thread: 128 x SHAPE_N, both matrices in shared memory, sums in tensor memory
 *              (rate_tcgen05.cuh)
 *   tcgen05_ts the same with the left matrix in tensor memory
 *   tcgen05_ld each warp: 32 x SHAPE_N words from tensor memory to registers; no product
 *
 * A chain is an accumulator. Its products follow one another; CHAINS of them are independent. To keep sums
 * exact over any number of products, the left matrix with its sign turned is added in turn with the matrix
 * itself. u8 has no sign: its sums wrap.
 *
 * With sparse=on the left matrix has a zero before each of its elements, which is not stored, and the right
 * matrix has rows of 64 bytes: the same operands of the left one, twice as many products. */
#include "device.cuh"

#ifndef BLOCK
#error "BLOCK is not defined"
#endif
#ifndef CHAINS
#error "CHAINS is not defined"
#endif
#ifndef SHAPE_N
#error "SHAPE_N is not defined"
#endif
#ifndef CLUSTER
#error "CLUSTER is not defined"
#endif
#if !defined(variant_mma) && !defined(variant_wgmma_ss) && !defined(variant_wgmma_rs) &&                     \
    !defined(variant_tcgen05) && !defined(variant_tcgen05_ts) && !defined(variant_tcgen05_ld)
#error "no variant_... is defined"
#endif

#if !defined(sparse_on) && !defined(sparse_off)
#error "no sparse_... is defined"
#endif

#if defined(scale_e8m0) || defined(scale_e4m3)
#define SCALED 1
#elif defined(scale_none)
#define SCALED 0
#else
#error "no scale_... is defined"
#endif

/* Columns of tensor memory: of sums or words to load; of scales of 1, for each 128 rows of either matrix four
 * columns, which is one word for each row; of the left matrix; and those that are allocated. */
#ifdef variant_tcgen05_ts
enum { LEFT_COLUMNS = 8 };
#else
enum { LEFT_COLUMNS = 0 };
#endif
enum { SCALE_COLUMNS = SCALED * 16, USED = CHAINS * SHAPE_N + SCALE_COLUMNS + LEFT_COLUMNS };
enum { BEYOND_128 = USED <= 256 ? 256 : 512, BEYOND_64 = USED <= 128 ? 128 : BEYOND_128 };
enum { BEYOND_32 = USED <= 64 ? 64 : BEYOND_64, COLUMNS = USED <= 32 ? 32 : BEYOND_32 };

/* Blocks of a cluster multiply together. */
static __device__ __forceinline__ u32 rounds_of(u32 all)
{
    const u32 clusters = gridDim.x / CLUSTER;
    return all / clusters + (blockIdx.x / CLUSTER < all % clusters);
}

#ifdef variant_tcgen05_ld

#define WGMMA_N     (2 * SHAPE_N)
#define REGISTER(x) "=r"(x)
#include "tensor_memory.cuh"
#include "wgmma.cuh"

enum { STEPS = 8 };

/* A warp, of SHAPE_N columns: as load_columns, but the words are there after loads_done only. */
static __device__ __forceinline__ void begin_load(u32 (&d)[SHAPE_N], u32 address)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x" WGMMA_TEXT(SHAPE_N) ".b32 {" WGMMA_OF_N(
                     TEXT_) "}, [%" WGMMA_TEXT(SHAPE_N) "];"
                 : WGMMA_OF_N(REGISTERS_)(d, 0)
                 : "r"(address)
                 : "memory");
}

static __device__ __forceinline__ void loads_done()
{
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

#undef REGISTER
#define REGISTER(x) "r"(x)

static __device__ __forceinline__ void store(const u32 (&d)[SHAPE_N], u32 address)
{
    asm volatile("tcgen05.st.sync.aligned.32x32b.x" WGMMA_TEXT(SHAPE_N) ".b32 [%" WGMMA_TEXT(
                     SHAPE_N) "], {" WGMMA_OF_N(TEXT_) "};" ::WGMMA_OF_N(REGISTERS_)(d, 0),
                 "r"(address)
                 : "memory");
}

/* All chains: loads, which are waited for together. `store_back` is false, which the assembler does not know.
 * It would otherwise load words that nobody needs of several chains into the same registers, and one chain
 * would wait for the other. */
static __device__ __forceinline__ void load_all(u32 (&d)[CHAINS][SHAPE_N], u32 address, bool store_back)
{
#pragma unroll
    for (u32 c = 0; c < CHAINS; c++)
        begin_load(d[c], address + c * SHAPE_N);
    loads_done();
    if (store_back) {
#pragma unroll
        for (u32 c = 0; c < CHAINS; c++)
            store(d[c], address + c * SHAPE_N);
    }
}

/* Volatile: in the order in which they are written. */
static __device__ __forceinline__ void add(u32 &sum, u32 word)
{
    asm volatile("add.u32 %0, %0, %1;" : "+r"(sum) : "r"(word));
}

/* Tensor memory gets the rows of `words`, USED for each of its own. Each thread writes the sum of what it
 * loads: at each step the first and last word of each chain, in the end all words once. So there are few
 * additions between loads. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    mma_rate(const u32 *__restrict__ words, u32 *__restrict__ out, u32 all_rounds)
{
    __shared__ u32 allocated;
    const u32 warp = threadIdx.x / 32, row = threadIdx.x % TENSOR_MEMORY_ROWS;
    if (warp == 0)
        allocate_columns<1, COLUMNS>(shared_address(&allocated));
    before_barrier();
    __syncthreads();
    after_barrier();
    const u32 columns = allocated, own = columns + (row / 32 * 32 << 16);
#pragma unroll 1
    for (u32 i = 0; i < USED; i++)
        store_column(own + i, words[row * USED + i]);
    columns_filled();
    before_barrier();
    __syncthreads(); /* warps of the same rows store the same words */
    after_barrier();
    const u32 rounds = rounds_of(all_rounds);
    const bool store_back = all_rounds >> 31; /* never: rounds are at most 2^24 */
    u32 d[CHAINS][SHAPE_N], sum = 0;
#pragma unroll 1
    for (u32 step = 0; step < rounds * STEPS; step++) {
        load_all(d, own, store_back);
#pragma unroll
        for (int c = CHAINS - 1; c >= 0; c--) { /* the last one first: no addition before all loads */
            add(sum, d[c][0]);
            add(sum, d[c][SHAPE_N - 1]);
        }
    }
    load_all(d, own, false);
#pragma unroll
    for (u32 c = 0; c < CHAINS; c++)
#pragma unroll
        for (u32 i = 0; i < SHAPE_N; i++)
            add(sum, d[c][i]); /* not before the loads are done, which the compiler does not know */
    out[(u64)blockIdx.x * BLOCK + threadIdx.x] = sum;
    before_barrier();
    __syncthreads();
    after_barrier();
    if (warp == 0)
        free_columns<1, COLUMNS>(columns);
}

#else

#include "mma.cuh"

/* Four scales of 1. */
#ifdef scale_e4m3
#define ONES_OF_SCALES 0x38383838u
#else
#define ONES_OF_SCALES 0x7f7f7f7fu
#endif

#if defined(sparse_on)
#define SPARSE 1
#else
#define SPARSE 0
#endif

/* The signs of a word of elements. */
#if defined(DTYPE_u8)
#define SIGNS 0u
static __device__ __forceinline__ u32 element_of(u32 whole)
{
    return whole;
}
#elif defined(DTYPE_e2m1)
#define SIGNS 0x88888888u
static __device__ __forceinline__ u32 element_of(u32 whole) /* 0 to 3 */
{
    return 0x5420u >> 4 * whole & 15;
}
#else
#include "element.cuh"
#define SIGNS (0x80000000u | (ELEMENT_SIZE <= 2) * 0x8000u | (ELEMENT_SIZE == 1) * 0x800080u)
static __device__ __forceinline__ u32 element_of(u32 whole)
{
    return element_of_float((float)whole);
}
#endif

enum {
    ROW_WORDS = 8,
    RIGHT_WORDS = ROW_WORDS << SPARSE,
#ifdef DTYPE_e2m1
    IN_WORD = 8,
#else
    IN_WORD = 4 / ELEMENT_SIZE,
#endif
    PAIRS = 4,
    WARPS = BLOCK / 32
};

/* Word `word` of a row of a matrix, which has so many, in the dtype; its elements are whole numbers of 8
 * bits. */
template <u32 WORDS = ROW_WORDS>
static __device__ __forceinline__ u32 word_of(const u8 *matrix, u32 row, u32 word)
{
    u32 bits = 0;
#pragma unroll
    for (u32 i = 0; i < IN_WORD; i++)
        bits |= element_of(matrix[(row * WORDS + word) * IN_WORD + i]) << (i * 32 / IN_WORD);
    return bits;
}

/* The words of 16 rows of the left matrix that a lane holds. */
struct left {
    u32 word[4];
};

static __device__ __forceinline__ left left_of(const u8 *a, u32 first_row, u32 signs)
{
    const u32 row = first_row + threadIdx.x % 32 / 4, word = threadIdx.x % 4;
    left l = {{word_of(a, row, word), word_of(a, row + 8, word), word_of(a, row, word + 4),
               word_of(a, row + 8, word + 4)}};
#pragma unroll
    for (int i = 0; i < 4; i++)
        l.word[i] ^= signs;
    return l;
}

/* A matrix in shared memory, without swizzle: parts of 8 rows x 16 bytes, contiguous; first all rows of the
 * first 16 bytes. */
template <u32 WORDS>
static __device__ __forceinline__ void place(u32 *tile, const u8 *matrix, u32 rows, u32 signs)
{
    for (u32 i = threadIdx.x; i < rows * WORDS; i += BLOCK) {
        const u32 row = i / WORDS, word = i % WORDS;
        tile[(word / 4 * (rows / 8) + row / 8) * 32 + row % 8 * 4 + word % 4] =
            word_of<WORDS>(matrix, row, word) ^ signs;
    }
}

#if defined(variant_tcgen05) || defined(variant_tcgen05_ts)

#include "rate_tcgen05.cuh"

#else

#ifdef variant_mma

enum { ROWS = 16, HELD = 4 };

static __device__ __forceinline__ void multiply(accumulator *d, const u32 *a, const u32 *b)
{
#if SCALED
    mma_scaled(d, a, b, ONES_OF_SCALES);
#elif SPARSE
    mma_sparse<0>(d, a, b, SPARSE_METADATA); /* all words are the same, whichever lanes are selected */
#else
    mma(d, a, b);
#endif
}

static __device__ __forceinline__ void products(accumulator (&d)[CHAINS][HELD], const u8 *a, const u8 *b,
                                                u32 rounds)
{
    const left plus = left_of(a, 0, 0), minus = left_of(a, 0, SIGNS);
    const u32 lane = threadIdx.x % 32;
    const u32 row = lane / 4, word = lane % 4;
    const u32 right[] = {
        word_of<RIGHT_WORDS>(b, row, word),
        word_of<RIGHT_WORDS>(b, row, word + 4),
#if SPARSE
        word_of<RIGHT_WORDS>(b, row, word + 8),
        word_of<RIGHT_WORDS>(b, row, word + 12),
#endif
    };
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        multiply(d[c], plus.word, right);
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
#pragma unroll
        for (int pair = 0; pair < PAIRS; pair++) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                multiply(d[c], minus.word, right);
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                multiply(d[c], plus.word, right);
        }
    }
}

#else

enum { ROWS = 64, HELD = SHAPE_N / 2 };

#define WGMMA_N SHAPE_N
#include "wgmma.cuh"

#if SPARSE
#define FORM     ".sp.sync.aligned.m64n" WGMMA_TEXT(SHAPE_N) DEPTH_SPARSE
#define AFTER_SS WGMMA_OF_N(AFTER_SP_SS_) ", 0"
#define AFTER_RS WGMMA_OF_N(AFTER_SP_RS_) ", 0"
#define METADATA , "r"(SPARSE_METADATA)
#else
#define FORM     ".sync.aligned.m64n" WGMMA_TEXT(SHAPE_N) DEPTH
#define AFTER_SS WGMMA_OF_N(AFTER_SS_)
#define AFTER_RS WGMMA_OF_N(AFTER_RS_)
#define METADATA
#endif

#define INSTRUCTION                                                                                          \
    "{.reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async" FORM "." TYPES " {" WGMMA_OF_N(TEXT_) "}, "

#define TAIL_SS ", p" WGMMA_SIGNS_SS ";}"
#define TAIL_RS ", p" WGMMA_SIGNS_RS ";}"

/* Address, distance between parts of neighbouring columns, and between those of neighbouring rows; in units
 * of 16 bytes. */
static __device__ __forceinline__ unsigned long long descriptor_of(const u32 *tile, u32 rows)
{
    const unsigned long long address = (u32)__cvta_generic_to_shared(tile) >> 4;
    return (address & 0x3fff) | (unsigned long long)(rows / 8 * 8) << 16 | 8ull << 32;
}

#ifdef variant_wgmma_ss
typedef unsigned long long operand;
static __device__ __forceinline__ void multiply(accumulator *d, operand a, unsigned long long b)
{
    asm volatile(INSTRUCTION AFTER_SS TAIL_SS : WGMMA_OF_N(REGISTERS_)(d, 0) : "l"(a), "l"(b)METADATA);
}
#else
typedef left operand;
static __device__ __forceinline__ void multiply(accumulator *d, const operand &a, unsigned long long b)
{
    asm volatile(INSTRUCTION AFTER_RS TAIL_RS
                 : WGMMA_OF_N(REGISTERS_)(d, 0)
                 : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "l"(b)METADATA);
}
#endif

static __device__ __forceinline__ void begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ void end()
{
    asm volatile("wgmma.commit_group.sync.aligned;\n wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

static __device__ __forceinline__ void products(accumulator (&d)[CHAINS][HELD], const u8 *a, const u8 *b,
                                                u32 rounds)
{
    __shared__ __align__(128) u32 tile_b[SHAPE_N * RIGHT_WORDS];
    place<RIGHT_WORDS>(tile_b, b, SHAPE_N, 0);
    const unsigned long long right = descriptor_of(tile_b, SHAPE_N);
#ifdef variant_wgmma_ss
    __shared__ __align__(128) u32 tile_a[2][ROWS * ROW_WORDS];
    place<ROW_WORDS>(tile_a[0], a, ROWS, 0);
    place<ROW_WORDS>(tile_a[1], a, ROWS, SIGNS);
    const operand plus = descriptor_of(tile_a[0], ROWS), minus = descriptor_of(tile_a[1], ROWS);
#else
    const u32 row = threadIdx.x / 32 % 4 * 16;
    const operand plus = left_of(a, row, 0), minus = left_of(a, row, SIGNS);
#endif
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    begin();
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        multiply(d[c], plus, right);
    end();
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
        begin();
#pragma unroll
        for (int pair = 0; pair < PAIRS; pair++) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                multiply(d[c], minus, right);
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                multiply(d[c], plus, right);
        }
        end();
    }
}

#endif

/* Each warp or group of four writes the sum of its accumulators, of which number c begins with c: ROWS x
 * SHAPE_N, by rows. A lane holds two neighbours in each eight columns, of two rows that are 8 apart. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    mma_rate(const u8 *__restrict__ a, const u8 *__restrict__ b, accumulator *__restrict__ out,
             u32 all_rounds)
{
    accumulator d[CHAINS][HELD];
#pragma unroll
    for (int c = 0; c < CHAINS; c++) /* equal chains would be one for the compiler */
#pragma unroll
        for (int i = 0; i < HELD; i++)
            d[c][i] = c;
    products(d, a, b, rounds_of(all_rounds));
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const u32 row = warp * 16 % ROWS + lane / 4;
    const u64 unit = (u64)blockIdx.x * (WARPS * 16 / ROWS) + warp * 16 / ROWS;
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        accumulator sum = 0;
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            sum += d[c][i];
        out[(unit * ROWS + row + i / 2 % 2 * 8) * SHAPE_N + i / 4 * 8 + lane % 4 * 2 + i % 2] = sum;
    }
}

#endif

#endif
