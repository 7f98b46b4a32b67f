/* transpose - out[c][r] = in[r][c], tile by tile.
 *
 * The matrix is read along its rows and written along its columns, so one of the two sides is uncoalesced
 * unless the tile passes through shared memory or registers. A block transposes a TILE x TILE tile. The
 * variants:
 *
 *   naive       directly: a warp reads 32 neighbours and writes 32 words, each in another output row
 *   shared      through shared memory: both global sides are coalesced, but a warp reads a column of the
 *               tile, whose elements (f32, TILE 32) all lie in the same bank: a 32-way conflict
 *   padded      rows of the tile are one word longer, so that a column covers all banks
 *   swizzled    element (y, x) is stored at x ^ y of its row: as free of conflicts as padding, without extra
 *               memory
 *
 * These three also have `store scattered`: the tile is transposed in shared memory, written and read by
 * columns, and each thread stores the element that it loaded, uncoalesced as in naive. Shared memory then
 * gains nothing, and padding changes bank conflicts only, as in textbook examples.
 *
 *   vectorized  accesses of 16 bytes to global and shared memory: a thread takes a square of V x V elements
 *               (V elements are 16 bytes), transposes it in registers, and stores its columns as 16-byte
 *               chunks of the tile's output rows. The axis `layout` selects how the chunks avoid bank
 *               conflicts. If VECTOR elements are 32 bytes, a thread takes two neighbouring squares, and
 *               global accesses have 32 bytes: one instruction from sm_100 on, two on older architectures;
 *               accesses to shared memory keep 16 bytes
 *   tma         bulk tensor copies load and store the tiles, swizzled by the hardware; a block has STAGES
 *               tiles in flight; threads only transpose squares, in place
 *
 * `group` is the order of tiles: that many tile rows are processed together, one column of tiles after
 * another, so that the tiles in flight form long runs (DRAM pages) in both matrices, not only in one. */
#include "bulk.cuh"
#include "device.cuh"

#ifndef ELEMENT_SIZE
#error "ELEMENT_SIZE (axis dtype) is not defined"
#endif
#ifndef TILE
#error "TILE is not defined"
#endif
#ifndef STAGES
#error "STAGES is not defined"
#endif
#ifndef VECTOR
#error "VECTOR is not defined"
#endif
#if !defined(layout_padded) && !defined(layout_swizzled)
#error "no layout_... is defined"
#endif

typedef bytes_of<ELEMENT_SIZE> element; /* only bits are moved, whatever their type */

/* First row (x) and column (y) of tile number `tile` out of `down` x `across`. */
static __device__ __forceinline__ uint2 place_of(u32 tile, u32 down, u32 across, u32 group)
{
    u32 band = tile / (group * across), within = tile - band * (group * across);
    u32 first = band * group, height = min(group, down - first);
    return make_uint2((first + within % height) * TILE, within / height * TILE);
}

#if defined(variant_naive) || defined(variant_shared) || defined(variant_padded) || defined(variant_swizzled)

enum { THREADS = 256, STEP = THREADS / TILE, COUNT = TILE / STEP };

#ifdef variant_padded
enum { PITCH = TILE + (ELEMENT_SIZE < 4 ? 4 / ELEMENT_SIZE : 1) }; /* at least one 4-byte word longer */
#else
enum { PITCH = TILE };
#endif

#ifdef variant_swizzled
#define INDEX_OF(y, x) ((y)*PITCH + ((x) ^ (y)))
#else
#define INDEX_OF(y, x) ((y)*PITCH + (x))
#endif

/* A warp is 32 neighbours along x. Each thread moves COUNT elements, STEP rows apart, with all loads
 * first. */
extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(const element *__restrict__ in, element *__restrict__ out, u32 rows, u32 cols, u32 down,
              u32 across, u32 group)
{
    const int x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    const uint2 tile = place_of(blockIdx.x, down, across, group);
    element value[COUNT];
    const element *from = in + (u64)(tile.x + y) * cols + tile.y + x;
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (tile.x + y + i * STEP < rows && tile.y + x < cols)
            value[i] = from[(u64)(i * STEP) * cols];
#ifdef variant_naive
    element *to = out + (u64)(tile.y + x) * rows + tile.x + y;
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (tile.x + y + i * STEP < rows && tile.y + x < cols)
            to[i * STEP] = value[i];
#else
    __shared__ element shared[TILE * PITCH];
#if defined(store_scattered)
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        shared[INDEX_OF(x, y + i * STEP)] = value[i];
    __syncthreads();
    element *to = out + (u64)(tile.y + x) * rows + tile.x + y;
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        value[i] = shared[INDEX_OF(x, y + i * STEP)];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (tile.x + y + i * STEP < rows && tile.y + x < cols)
            to[i * STEP] = value[i];
#elif defined(store_coalesced)
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        shared[INDEX_OF(y + i * STEP, x)] = value[i]; /* elements past the edge are never read */
    __syncthreads();
    element *to = out + (u64)(tile.y + y) * rows + tile.x + x;
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        value[i] = shared[INDEX_OF(x, y + i * STEP)];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (tile.y + y + i * STEP < cols && tile.x + x < rows)
            to[(u64)(i * STEP) * rows] = value[i];
#else
#error "no store_... is defined"
#endif
#endif
}

#elif defined(variant_vectorized) || defined(variant_tma)

/* V elements are 16 bytes; a tile row has CHUNKS of 16 bytes; a tile has SQUARES of V x V elements. A global
 * access has WIDE chunks. */
enum { V = 16 / ELEMENT_SIZE, CHUNKS = TILE / V, SQUARES = CHUNKS * CHUNKS };
enum { WIDE = VECTOR ? VECTOR / V : 1, ACROSS = CHUNKS / WIDE, PIECES = SQUARES / WIDE };
enum { THREADS = PIECES < 256 ? PIECES : 256, EACH = SQUARES / THREADS };

struct square {
    uint4 row[V];
};

#if ELEMENT_SIZE == 1
/* Transpose 4 x 4 bytes: rows a, b, c, d become the columns. */
static __device__ __forceinline__ void turn_bytes(u32 &a, u32 &b, u32 &c, u32 &d)
{
    u32 ab_low = __byte_perm(a, b, 0x5140), ab_high = __byte_perm(a, b, 0x7362);
    u32 cd_low = __byte_perm(c, d, 0x5140), cd_high = __byte_perm(c, d, 0x7362);
    a = __byte_perm(ab_low, cd_low, 0x5410);
    b = __byte_perm(ab_low, cd_low, 0x7632);
    c = __byte_perm(ab_high, cd_high, 0x5410);
    d = __byte_perm(ab_high, cd_high, 0x7632);
}
#endif

/* Transpose a square in registers: renaming for elements of 4 and 8 bytes, byte permutations for smaller
 * ones. */
static __device__ __forceinline__ void turn(square &s)
{
    u32 in[V][4];
#pragma unroll
    for (int i = 0; i < V; i++) {
        in[i][0] = s.row[i].x;
        in[i][1] = s.row[i].y;
        in[i][2] = s.row[i].z;
        in[i][3] = s.row[i].w;
    }
    u32 out[V][4];
#pragma unroll
    for (int i = 0; i < V; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
#if ELEMENT_SIZE == 8
            out[i][k] = in[k / 2][2 * i + k % 2];
#elif ELEMENT_SIZE == 4
            out[i][k] = in[k][i];
#elif ELEMENT_SIZE == 2
            out[i][k] = __byte_perm(in[2 * k][i / 2], in[2 * k + 1][i / 2], i % 2 ? 0x7632 : 0x5410);
#else
            out[i][k] = in[4 * k + i % 4][i / 4]; /* first transpose squares of words */
#endif
        }
    }
#if ELEMENT_SIZE == 1
#pragma unroll
    for (int i = 0; i < V; i += 4)
#pragma unroll
        for (int k = 0; k < 4; k++)
            turn_bytes(out[i][k], out[i + 1][k], out[i + 2][k], out[i + 3][k]);
#endif
#pragma unroll
    for (int i = 0; i < V; i++)
        s.row[i] = make_uint4(out[i][0], out[i][1], out[i][2], out[i][3]);
}

#endif

#ifdef variant_vectorized

/* Where chunk `chunk` of output row `row` of the tile lies. Eight lanes that store together hold one `chunk`
 * of rows V * WIDE apart; eight that read together hold every WIDE-th chunk of one row: both must differ
 * modulo 8. */
static __device__ __forceinline__ int place_of_chunk(int chunk)
{
    return chunk / WIDE + chunk % WIDE * ACROSS;
}
#ifdef layout_padded
enum { SHARED = (TILE + 1) * CHUNKS };
static __device__ __forceinline__ int chunk_of(int row, int chunk)
{
    return row * CHUNKS + row / (V * WIDE) + place_of_chunk(chunk); /* 16 bytes of padding between squares */
}
#else
enum { SHARED = TILE * CHUNKS };
static __device__ __forceinline__ int chunk_of(int row, int chunk)
{
    return row * CHUNKS + (place_of_chunk(chunk) ^ (row / (V * WIDE)));
}
#endif

typedef bytes_of<16 * WIDE> access;
union chunks {
    access whole;
    uint4 chunk[WIDE];
};

/* rows and cols are multiples of V * WIDE, so that each access is either inside or outside of the matrix. */
extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(const element *__restrict__ in, element *__restrict__ out, u32 rows, u32 cols, u32 down,
              u32 across, u32 group)
{
    __shared__ uint4 shared[SHARED];
    const uint2 tile = place_of(blockIdx.x, down, across, group);
    square s[EACH]; /* WIDE neighbouring squares */
#pragma unroll
    for (int e = 0; e < EACH; e += WIDE) {
        const u32 number = threadIdx.x + e / WIDE * THREADS;
        const u32 row = tile.x + number / ACROSS * V, column = tile.y + number % ACROSS * (V * WIDE);
        const element *from = in + (u64)row * cols + column;
#pragma unroll
        for (int i = 0; i < V; i++) /* rows is a multiple of V: one check for all */
            if (row < rows && column < cols) {
                chunks value;
                value.whole = *(const access *)(from + (u64)i * cols);
#pragma unroll
                for (int w = 0; w < WIDE; w++)
                    s[e + w].row[i] = value.chunk[w];
            }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int number = threadIdx.x + e / WIDE * THREADS;
        turn(s[e]);
#pragma unroll
        for (int i = 0; i < V; i++)
            shared[chunk_of((number % ACROSS * WIDE + e % WIDE) * V + i, number / ACROSS)] = s[e].row[i];
    }
    __syncthreads();
    chunks value[EACH * V / WIDE];
#pragma unroll
    for (int i = 0; i < EACH * V / WIDE; i++) {
        const int number = threadIdx.x + i * THREADS;
#pragma unroll
        for (int w = 0; w < WIDE; w++)
            value[i].chunk[w] = shared[chunk_of(number / ACROSS, number % ACROSS * WIDE + w)];
    }
#pragma unroll
    for (int i = 0; i < EACH * V / WIDE; i++) {
        const u32 number = threadIdx.x + i * THREADS;
        const u32 row = tile.y + number / ACROSS, column = tile.x + number % ACROSS * (V * WIDE);
        if (row < cols && column < rows)
            *(access *)(out + (u64)row * rows + column) = value[i].whole;
    }
}

#elif defined(variant_tma)

#if __CUDA_ARCH__ < 900
#error "bulk tensor copies need compute capability 9.0"
#endif

/* The driver's tensor map, opaque to the kernel. */
struct __align__(64) tensor_map
{
    u64 opaque[16];
};

/* A box is 128 bytes wide and TILE rows high, its 16-byte chunks swizzled: chunk c of row r lies at
 * c ^ (r mod 8). A tile is BOXES of them beside each other, in the input as in the output. */
enum { BOX_COLUMNS = 8 * V, BOXES = TILE / BOX_COLUMNS, BOX_BYTES = 128 * TILE };
enum { STAGE_BYTES = BOXES * BOX_BYTES };

static __device__ __forceinline__ void load_tile(u32 stage, const tensor_map *map, uint2 tile, u32 barrier)
{
    barrier_expect(barrier, STAGE_BYTES);
#pragma unroll
    for (int box = 0; box < BOXES; box++)
        asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3}], [%4];" ::"r"(stage + box * BOX_BYTES),
                     "l"(map), "r"(tile.y + box * BOX_COLUMNS), "r"(tile.x), "r"(barrier)
                     : "memory");
}

static __device__ __forceinline__ void store_tile(u32 stage, const tensor_map *map, uint2 tile)
{
#pragma unroll
    for (int box = 0; box < BOXES; box++)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
                     "r"(tile.x + box * BOX_COLUMNS), "r"(tile.y), "r"(stage + box * BOX_BYTES)
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Byte offset in a stage of chunk `chunk` of row `row`, counted over the whole tile. */
static __device__ __forceinline__ int chunk_offset(int row, int chunk)
{
    return chunk / 8 * BOX_BYTES + row * 128 + ((chunk ^ row) & 7) * 16;
}

/* Square number `number`: eight lanes take a diagonal of 8 x 8 squares, so that the chunks that they read,
 * and those that they write, lie in eight different places modulo 128 bytes. */
static __device__ __forceinline__ int square_column(int number)
{
    return (number / 64 % BOXES) * 8 + number % 8;
}
static __device__ __forceinline__ int square_row(int number)
{
    return number / 64 / BOXES * 8 + ((number ^ number / 8) & 7);
}

static __device__ __forceinline__ void turn_tile(char *stage)
{
    square s[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int number = threadIdx.x + e * THREADS;
#pragma unroll
        for (int i = 0; i < V; i++)
            s[e].row[i] =
                *(const uint4 *)(stage + chunk_offset(square_row(number) * V + i, square_column(number)));
    }
    __syncthreads(); /* all squares are in registers: the tile may be overwritten */
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const int number = threadIdx.x + e * THREADS;
        turn(s[e]);
#pragma unroll
        for (int i = 0; i < V; i++)
            *(uint4 *)(stage + chunk_offset(square_column(number) * V + i, square_row(number))) = s[e].row[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::
                     : "memory"); /* make our writes visible to the bulk store */
    __syncthreads();
}

/* A grid of resident blocks loops over the tiles. Elements past the edge of the matrix are loaded as zeros
 * and not stored. Thread 0 keeps STAGES - 1 loads ahead; a stage is loaded again when its store has read
 * it. */
extern "C" __global__ void __launch_bounds__(THREADS)
    transpose(const __grid_constant__ tensor_map in, const __grid_constant__ tensor_map out, u32 tiles,
              u32 down, u32 across, u32 group)
{
    extern __shared__ __align__(
        1024) char stages[]; /* the swizzle uses address bits, so the tile is aligned to 1024 */
    const u32 first = shared_address(stages), barriers = first + STAGES * STAGE_BYTES;
    if (threadIdx.x == 0) {
#pragma unroll
        for (int s = 0; s < STAGES; s++)
            barrier_init(barriers + 8 * s);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#pragma unroll
        for (int s = 0; s < STAGES - 1; s++) {
            const u32 tile = blockIdx.x + s * gridDim.x;
            if (tile < tiles)
                load_tile(first + s * STAGE_BYTES, &in, place_of(tile, down, across, group),
                          barriers + 8 * s);
        }
    }
    __syncthreads();
    u32 stage = 0, parity = 0;
    for (u32 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        barrier_wait(barriers + 8 * stage, parity);
        turn_tile(stages + stage * STAGE_BYTES);
        if (threadIdx.x == 0) {
            store_tile(first + stage * STAGE_BYTES, &out, place_of(tile, down, across, group));
            const u32 next = tile + (STAGES - 1) * gridDim.x, free = stage ? stage - 1 : STAGES - 1;
            if (next < tiles) {
                asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
                load_tile(first + free * STAGE_BYTES, &in, place_of(next, down, across, group),
                          barriers + 8 * free);
            }
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    if (threadIdx.x == 0) /* wait until the stores have read shared memory */
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

#elif !defined(variant_naive) && !defined(variant_shared) && !defined(variant_padded) &&                     \
    !defined(variant_swizzled)
#error "no variant_... is defined"
#endif
