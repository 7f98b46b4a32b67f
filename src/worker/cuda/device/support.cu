/* support - the worker's own device code: filling, flushing, gathering, blocking, clocks and peaks. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "family/fill.h"
#include "wide.cuh"

/* The enumerators of core/dtype.h, in its order. */
enum {
    DTYPE_U8,
    DTYPE_I32,
    DTYPE_I64,
    DTYPE_F16,
    DTYPE_BF16,
    DTYPE_F32,
    DTYPE_F64,
    DTYPE_E4M3,
    DTYPE_E5M2,
    DTYPE_E2M1,
    DTYPE_E8M0
};

static __device__ u64 grid_first()
{
    return (u64)blockIdx.x * blockDim.x + threadIdx.x;
}
static __device__ u64 grid_step()
{
    return (u64)gridDim.x * blockDim.x;
}

static __device__ u64 global_time() /* nanoseconds */
{
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

/* e2m1 has 0, 0.5, 1, 1.5, 2, 3, 4, 6. Its code is how many middles of neighbours lie below; on a middle, the
 * even code. */
static __device__ u32 e2m1_of(float value)
{
    const float x = fabsf(value);
    const u32 code =
        (x > 0.25f) + (x >= 0.75f) + (x > 1.25f) + (x >= 1.75f) + (x > 2.5f) + (x >= 3.5f) + (x > 5);
    return code | (__float_as_uint(value) >> 31) << 3;
}

/* The exponent of the nearest power of two, on a middle the even one; from normal numbers above zero. */
static __device__ u32 e8m0_of(float value)
{
    const u32 bits = __float_as_uint(value), code = (bits + 0x3fffff + (bits >> 23 & 1)) >> 23;
    return code > 254 ? 254 : code;
}

static __device__ void fill_pairs(u8 *out, u64 count, const struct fill &spec, u64 seed)
{
    for (u64 i = grid_first(); 2 * i < count; i += grid_step()) {
        const u32 high = 2 * i + 1 < count ? e2m1_of(fill_real(&spec, seed, 2 * i + 1)) : 0;
        out[i] = (u8)(e2m1_of(fill_real(&spec, seed, 2 * i)) | high << 4);
    }
}

#define FILL_CASE(DTYPE, type, value)                                                                        \
    case DTYPE:                                                                                              \
        ((type *)out)[i] = (type)(value);                                                                    \
        break;

/* The same element as fill_element() in src/family/fill.c: NaN-free, round to nearest even. */
extern "C" __global__ void fill(void *out, u64 count, int dtype, struct fill spec, u64 seed)
{
    if (dtype == DTYPE_E2M1) {
        fill_pairs((u8 *)out, count, spec, seed);
        return;
    }
    for (u64 i = grid_first(); i < count; i += grid_step()) {
        switch (dtype) {
            FILL_CASE(DTYPE_U8, u8, fill_integer(&spec, seed, i))
            FILL_CASE(DTYPE_I32, u32, fill_integer(&spec, seed, i))
            FILL_CASE(DTYPE_I64, u64, fill_integer(&spec, seed, i))
            FILL_CASE(DTYPE_F16, __half, __float2half_rn(fill_real(&spec, seed, i)))
            FILL_CASE(DTYPE_BF16, __nv_bfloat16, __float2bfloat16_rn(fill_real(&spec, seed, i)))
            FILL_CASE(DTYPE_F32, float, fill_real(&spec, seed, i))
            FILL_CASE(DTYPE_F64, double, fill_real(&spec, seed, i))
            FILL_CASE(DTYPE_E4M3, u8,
                      __nv_cvt_float_to_fp8(fill_real(&spec, seed, i), __NV_SATFINITE, __NV_E4M3))
            FILL_CASE(DTYPE_E5M2, u8,
                      __nv_cvt_float_to_fp8(fill_real(&spec, seed, i), __NV_SATFINITE, __NV_E5M2))
            FILL_CASE(DTYPE_E8M0, u8, e8m0_of(fill_real(&spec, seed, i)))
        }
    }
}

/* Samples [0, samples) of a verify_plan: element verify_index(k) of `in`, packed. */
extern "C" __global__ void gather(const u8 *in, u8 *out, u64 samples, u64 count, u64 seed, u32 size)
{
    for (u64 k = grid_first(); k < samples; k += grid_step()) {
        const u8 *from = in + fill_bits(seed, k) % count * size;
        for (u32 byte = 0; byte < size; byte++)
            out[k * size + byte] = from[byte];
    }
}

/* Read `bytes`, a multiple of 32, through L2, `rounds` times, and write nothing: a clean flush of L2, and the
 * read peaks. `rounds` is never 0xffffffff, which the compiler cannot know: without that store it would drop
 * the reads. */
extern "C" __global__ void read_words(wide *in, u64 bytes, u32 rounds)
{
    const u64 count = bytes / WIDE_BYTES;
    u32 sum = 0;
    for (u32 round = 0; round < rounds; round++) {
        u64 i = grid_first();
        for (; i + 3 * grid_step() < count; i += 4 * grid_step()) {
            wide a = load_wide(in + i), b = load_wide(in + i + grid_step());
            wide c = load_wide(in + i + 2 * grid_step()), d = load_wide(in + i + 3 * grid_step());
            sum += sum_wide(a) + sum_wide(b) + sum_wide(c) + sum_wide(d);
        }
        for (; i < count; i += grid_step())
            sum += sum_wide(load_wide(in + i));
    }
    if (rounds == 0xffffffffu)
        *(u32 *)in = sum;
}

/* Write `bytes`, a multiple of 32. */
extern "C" __global__ void write_words(wide *out, u64 bytes, u32 value)
{
    for (u64 i = grid_first(); i < bytes / WIDE_BYTES; i += grid_step())
        out[i] = make_wide(value, value ^ (u32)i, value + 1, (u32)i);
}

/* Of the 128-byte lines of `bytes`, write those that a hash picks, `of_256` in 256, and read the rest:
 * L2 is then dirty to that share. */
extern "C" __global__ void mix_words(uint4 *words, u64 bytes, u32 of_256)
{
    u32 sum = 0;
    for (u64 i = grid_first(); i < bytes / 16; i += grid_step()) {
        if ((u32)(fill_bits(1, i / 8) & 255) < of_256) {
            words[i] = make_uint4(of_256, (u32)i, 1, 2);
        } else {
            uint4 a = __ldcg(words + i);
            sum += a.x ^ a.y ^ a.z ^ a.w;
        }
    }
    if (of_256 == 0xffffffffu)
        words->x = sum;
}

extern "C" __global__ void nothing() {}

/* Hold the stream until the host has queued what comes after: until `*gate` has reached `ticket`, or
 * `timeout` nanoseconds are over, which the host reads in `*expired` (a full queue must not become a
 * deadlock). */
extern "C" __global__ void block_stream(const volatile u32 *gate, u32 ticket, u64 timeout,
                                        volatile u32 *expired)
{
    u64 start = global_time();
    while ((int)(*gate - ticket) < 0) {
        if (global_time() - start > timeout) {
            *expired = ticket;
            return;
        }
        __nanosleep(200);
    }
}

/* One reading of a multiprocessor's cycle counter and of the device's clock; worker/cuda/timing/timer.c pairs
 * them. */
struct reading {
    u64 cycles, nanoseconds, multiprocessor;
};
extern "C" __global__ void read_clocks(struct reading *out)
{
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    u64 before = global_time(), now = global_time();
    for (int i = 0; i < 64 && now == before; i++) /* wait for the tick, where the clock ticks finely enough */
        now = global_time();
    out->cycles = clock64();
    out->nanoseconds = now;
    out->multiprocessor = sm;
}
