/* silu_mul - the gated activation of an LLM's feed-forward layer: out = act(x) * y, where a row of the input
 * has x, then y.
 *
 * It reads 2 * d elements per row and writes d, so it should be as fast as a copy. Obstacles are arithmetic
 * (an exponential per element) and too few loads in flight.
 *
 *   silu        x * sigmoid(x)
 *   gelu        x * (1 + erf(x / sqrt 2)) / 2
 *   gelu_tanh   gelu's approximation by tanh, with (1 + tanh u) / 2 = sigmoid(2 u)
 *
 *   loop row           a block works on one row
 *   loop elementwise   blocks of four accesses per thread cover the output as one array, and divide to find
 *                      the row: as PyTorch's elementwise kernels, and as its compiler does for silu(x) * y
 *   loop bulk          as elementwise, but one thread loads the x and y of the block to shared memory by bulk
 *                      copies, two for each row that the block overlaps (UBLKCP; from sm_90 on)
 *
 * The act_and_mul_kernel of FlashInfer and vLLM is `loop row` with `unroll 1`, min(d / vector, 1024) threads
 * and accesses of 16 bytes. A scalar loop processes the rest of d after the last whole access; but y is then
 * not aligned to 16 bytes either, so this kernel uses narrower accesses for the whole row.
 *
 *   unroll 1     each thread loads an x and a y, computes and stores, then continues: two loads in flight
 *   unroll 2     loads the x and y of two accesses first
 *   unroll full  loads the x and y of its whole share of the row first, up to CHUNK accesses at a time
 *   pdl on       programmatic dependent launch: the blocks of the next launch start while this one still runs
 *
 * Accesses have VECTOR elements. With VECTOR 0 they have 16 bytes if a row is a multiple of that, otherwise
 * as many as every row start is aligned to, down to one element: x, y and out of an odd row have no common
 * alignment after a peeled head. Arithmetic is in float, with the hardware's approximations of exponential
 * and division. */
#ifndef D
#error "D is not defined"
#endif
constexpr unsigned long long row_elements = D;
#undef D /* headers may use this short name */

#include "bulk.cuh"
#include "device.cuh"
#include "element.cuh"

#ifndef BLOCK
#error "BLOCK is not defined"
#endif

#ifndef VECTOR
#error "VECTOR is not defined"
#endif

/* Bytes per access: VECTOR elements; if that is 0, the widest access that every row start is aligned for, up
 * to 16. */
constexpr u64 row_bytes = row_elements * ELEMENT_SIZE;
constexpr u64 alignment = row_bytes & (~row_bytes + 1);
constexpr int widest = alignment < 16 ? (int)alignment : 16;
constexpr int width = VECTOR ? VECTOR * ELEMENT_SIZE : widest;
constexpr u32 accesses = (u32)(row_bytes / width); /* per row of d elements */
typedef bytes_of<width> access;

/* As in silu_mul.c: BLOCK threads; if that is 0, enough for two accesses each, at most 512. */
constexpr u32 share = accesses > 1024 ? (accesses + 511) / 512 : 2;
constexpr u32 wanted = ((accesses + share - 1) / share + 31) / 32 * 32;
#if defined(loop_elementwise) || defined(loop_bulk)
constexpr u32 threads = BLOCK ? BLOCK : 128;
constexpr u32 rounds = 4;
#elif defined(loop_row)
constexpr u32 enough = wanted < 512 ? wanted : 512;
constexpr u32 threads = BLOCK ? BLOCK : enough;
constexpr u32 rounds = (accesses + threads - 1) / threads;
#else
#error "no loop_... with device code is defined"
#endif

#if defined(unroll_full)
constexpr u32 CHUNK = rounds < 4 ? rounds : 4;
#elif defined(unroll_2)
constexpr u32 CHUNK = rounds < 2 ? rounds : 2;
#elif defined(unroll_1)
constexpr u32 CHUNK = 1;
#else
#error "no unroll_... is defined"
#endif

/* ex2.approx.ftz instead of __expf, which has three more instructions for subnormal numbers; they do not
 * matter, as 1 is added. */
static __device__ __forceinline__ float sigmoid(float x)
{
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-1.4426950f * x)); /* log2(e) */
    return __fdividef(1.0f, 1.0f + power);
}

static __device__ __forceinline__ float activate(float x)
{
#if defined(variant_silu)
    return x * sigmoid(x);
#elif defined(variant_gelu)
    /* erfc by Abramowitz & Stegun 7.1.26, with an error below 1.5e-7. Unlike erff it has no divergent
     * branch. */
    float t = __fdividef(1.0f, 1.0f + 0.23164189f * fabsf(x)); /* 0.3275911 / sqrt(2) */
    float p = 1.421413741f + t * (-1.453152027f + t * 1.061405429f);
    p = t * (0.254829592f + t * (-0.284496736f + t * p));
    float below = 0.5f * p * __expf(-0.5f * x * x); /* the normal distribution's tail beyond |x| */
    return x * (x < 0.0f ? below : 1.0f - below);
#elif defined(variant_gelu_tanh)
    return x * sigmoid(1.5957691f * x * (1.0f + 0.044715f * x * x)); /* 2 sqrt(2 / pi) */
#else
#error "no variant_... is defined"
#endif
}

static __device__ __forceinline__ access gate(const access &x, const access &y)
{
    constexpr int count = width / ELEMENT_SIZE;
    float a[count], b[count];
    bytes_to_floats<width>(x, a);
    bytes_to_floats<width>(y, b);
#pragma unroll
    for (int i = 0; i < count; i++)
        a[i] = activate(a[i]) * b[i];
    return bytes_of_floats<width>(a);
}

static __device__ __forceinline__ void meet_launches()
{
#if defined(pdl_on)
#if __CUDA_ARCH__ < 900
#error "programmatic dependent launch needs compute capability 9.0"
#endif
    asm volatile("griddepcontrol.wait;" ::: "memory"); /* the previous launch has written its output */
    asm volatile(
        "griddepcontrol.launch_dependents;"); /* its blocks start when our last blocks run; they wait above */
#elif !defined(pdl_off)
#error "no pdl_... is defined"
#endif
}

#if defined(loop_elementwise) || defined(loop_bulk)

/* The x of output access i: before it lie as many accesses of y as of x. */
static __device__ __forceinline__ const access *x_of(const access *__restrict__ in, u32 i)
{
    return in + (u64)(i / accesses) * accesses + i;
}

/* Process the accesses of a thread from `first` on, up to the end of the output. */
static __device__ __forceinline__ void gate_chunk(const access *__restrict__ in, access *__restrict__ out,
                                                  u32 first, u32 all)
{
    access a[CHUNK], b[CHUNK];
#pragma unroll
    for (u32 k = 0; k < CHUNK; k++) {
        const u32 i = first + k * threads;
        if (i < all) {
            const access *x = x_of(in, i);
            a[k] = x[0];
            b[k] = x[accesses];
        }
    }
#pragma unroll
    for (u32 k = 0; k < CHUNK; k++)
        if (first + k * threads < all)
            out[first + k * threads] = gate(a[k], b[k]);
}

#endif

#if defined(loop_elementwise)

/* `all`: accesses of the output, fewer than 2^31. */
extern "C" __global__ void __launch_bounds__(threads)
    silu_mul(const access *__restrict__ in, access *__restrict__ out, u32 all)
{
    meet_launches();
    gate_chunk(in, out, blockIdx.x * (CHUNK * threads) + threadIdx.x, all);
}

#elif defined(loop_bulk)

constexpr u32 tile_accesses = CHUNK * threads;

/* Copy the x and the y of a tile to shared memory, one behind the other. */
static __device__ __forceinline__ void ask_rows(const access *__restrict__ in, u32 start, u32 to, u32 barrier)
{
    constexpr u32 tile_bytes = tile_accesses * width;
#pragma unroll 1
    for (u32 done = 0; done < tile_accesses;) {
        const u32 left = accesses - (start + done) % accesses; /* in this row */
        const u32 some = left < tile_accesses - done ? left : tile_accesses - done;
        const access *x = x_of(in, start + done);
        bulk_copy(to + done * width, x, some * width, barrier);
        bulk_copy(to + tile_bytes + done * width, x + accesses, some * width, barrier);
        done += some;
        if (accesses % tile_accesses == 0) /* tiles do not span rows */
            break;
    }
}

extern "C" __global__ void __launch_bounds__(threads)
    silu_mul(const access *__restrict__ in, access *__restrict__ out, u32 all)
{
    const u32 start = blockIdx.x * tile_accesses;
    meet_launches();
    if (start + tile_accesses > all) { /* the last block */
        gate_chunk(in, out, start + threadIdx.x, all);
        return;
    }
    bulk_tile_load(2 * tile_accesses * width,
                   [&](u32 tile, u32 barrier) { ask_rows(in, start, tile, barrier); });
    const access *x = (const access *)bulk_tile + threadIdx.x, *y = x + tile_accesses;
#pragma unroll
    for (u32 k = 0; k < CHUNK; k++)
        out[start + k * threads + threadIdx.x] = gate(x[k * threads], y[k * threads]);
}

#else

/* Does this thread have an access in round k from `base`? A constant if all threads of the block have one. */
static __device__ __forceinline__ bool inside(u32 base, u32 k)
{
    return base + (k + 1) * threads <= accesses || base + k * threads + threadIdx.x < accesses;
}

extern "C" __global__ void __launch_bounds__(threads)
    silu_mul(const access *__restrict__ in, access *__restrict__ out)
{
    const access *x = in + (u64)blockIdx.x * (2 * accesses), *y = x + accesses;
    access *to = out + (u64)blockIdx.x * accesses;
    meet_launches();
#pragma unroll 1
    for (u32 base = 0; base < accesses; base += CHUNK * threads) {
        access a[CHUNK], b[CHUNK];
#pragma unroll
        for (u32 k = 0; k < CHUNK; k++)
            if (inside(base, k)) {
                a[k] = x[base + k * threads + threadIdx.x];
                b[k] = y[base + k * threads + threadIdx.x];
            }
#pragma unroll
        for (u32 k = 0; k < CHUNK; k++)
            if (inside(base, k))
                to[base + k * threads + threadIdx.x] = gate(a[k], b[k]);
    }
}
#endif
