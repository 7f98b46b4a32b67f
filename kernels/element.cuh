/* element.cuh - floating-point elements in registers: 32-bit words of f16, bf16, f32 or fp8 to floats and
 * back.
 *
 * Memory accesses move whole words (bytes_of in device.cuh); arithmetic is in float. Packed types are
 * converted in pairs, as in hardware. Rounding is to nearest even; fp8 saturates at its largest finite value,
 * as in dtype_store (core/dtype.h). Only the header of the point's dtype is included. */
#ifndef KERNELS_ELEMENT_CUH
#define KERNELS_ELEMENT_CUH

#include "device.cuh"

#ifndef ELEMENT_SIZE
#error "ELEMENT_SIZE (axis dtype) is not defined"
#endif
#define ELEMENTS_PER_WORD (4 / ELEMENT_SIZE)

#if defined(DTYPE_f32) || defined(DTYPE_tf32)

static __device__ __forceinline__ void word_to_floats(u32 word, float *out)
{
    out[0] = __uint_as_float(word);
}
static __device__ __forceinline__ u32 word_of_floats(const float *in)
{
    return __float_as_uint(in[0]);
}
static __device__ __forceinline__ float element_to_float(u32 bits)
{
    return __uint_as_float(bits);
}
static __device__ __forceinline__ u32 element_of_float(float value)
{
    return __float_as_uint(value);
}

#elif defined(DTYPE_f16)
#include <cuda_fp16.h>

static __device__ __forceinline__ void word_to_floats(u32 word, float *out)
{
    /* Passed through whole: splitting and merging it would take two more instructions. */
    const float2 pair = __half22float2(*(const __half2 *)&word);
    out[0] = pair.x;
    out[1] = pair.y;
}
static __device__ __forceinline__ u32 word_of_floats(const float *in)
{
    __half2_raw raw = __floats2half2_rn(in[0], in[1]);
    return (u32)raw.x | (u32)raw.y << 16;
}
static __device__ __forceinline__ float element_to_float(u32 bits)
{
    return __half2float(__ushort_as_half((u16)bits));
}
static __device__ __forceinline__ u32 element_of_float(float value)
{
    return __half_as_ushort(__float2half_rn(value));
}

#elif defined(DTYPE_bf16)
#include <cuda_bf16.h>

/* A bf16 is the upper half of a float. */
static __device__ __forceinline__ void word_to_floats(u32 word, float *out)
{
    out[0] = __uint_as_float(word << 16);
    out[1] = __uint_as_float(word & 0xffff0000u);
}
static __device__ __forceinline__ u32 word_of_floats(const float *in)
{
    __nv_bfloat162_raw raw = __floats2bfloat162_rn(in[0], in[1]);
    return (u32)raw.x | (u32)raw.y << 16;
}
static __device__ __forceinline__ float element_to_float(u32 bits)
{
    return __uint_as_float(bits << 16);
}
static __device__ __forceinline__ u32 element_of_float(float value)
{
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
}

#elif defined(DTYPE_e4m3) || defined(DTYPE_e5m2)
#include <cuda_fp8.h>

#ifdef DTYPE_e4m3
#define FP8_FORMAT __NV_E4M3
#else
#define FP8_FORMAT __NV_E5M2
#endif

static __device__ __forceinline__ void word_to_floats(u32 word, float *out)
{
    float2 low = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)word, FP8_FORMAT)));
    float2 high =
        __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(word >> 16), FP8_FORMAT)));
    out[0] = low.x;
    out[1] = low.y;
    out[2] = high.x;
    out[3] = high.y;
}
static __device__ __forceinline__ u32 word_of_floats(const float *in)
{
    u32 low = __nv_cvt_float2_to_fp8x2(make_float2(in[0], in[1]), __NV_SATFINITE, FP8_FORMAT);
    u32 high = __nv_cvt_float2_to_fp8x2(make_float2(in[2], in[3]), __NV_SATFINITE, FP8_FORMAT);
    return low | high << 16;
}
static __device__ __forceinline__ float element_to_float(u32 bits)
{
    return __half2float(__half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)bits, FP8_FORMAT)));
}
static __device__ __forceinline__ u32 element_of_float(float value)
{
    return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, FP8_FORMAT);
}

#else
#error "this dtype has no conversion to float"
#endif

/* `N` bytes of elements as floats: whole words, or one or two elements that are narrower than a word. */
template <int N> static __device__ __forceinline__ void bytes_to_floats(const bytes_of<N> &bytes, float *out)
{
    union {
        bytes_of<N> bytes;
        u32 word[N / 4 ? N / 4 : 1];
    } u;
    if (N >= 4) {
        u.bytes = bytes;
#pragma unroll
        for (int w = 0; w < N / 4; w++)
            word_to_floats(u.word[w], out + w * ELEMENTS_PER_WORD);
    } else {
        u.word[0] = 0;
        u.bytes = bytes;
#pragma unroll
        for (int e = 0; e < N / ELEMENT_SIZE; e++)
            out[e] = element_to_float(u.word[0] >> (8 * ELEMENT_SIZE * e) & ((1ull << 8 * ELEMENT_SIZE) - 1));
    }
}

template <int N> static __device__ __forceinline__ bytes_of<N> bytes_of_floats(const float *in)
{
    union {
        bytes_of<N> bytes;
        u32 word[N / 4 ? N / 4 : 1];
    } u;
    if (N >= 4) {
#pragma unroll
        for (int w = 0; w < N / 4; w++)
            u.word[w] = word_of_floats(in + w * ELEMENTS_PER_WORD);
    } else {
        u.word[0] = 0;
#pragma unroll
        for (int e = 0; e < N / ELEMENT_SIZE; e++)
            u.word[0] |= element_of_float(in[e]) << (8 * ELEMENT_SIZE * e);
    }
    return u.bytes;
}

#endif
