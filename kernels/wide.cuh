/* wide.cuh - the widest access of the architecture, bypassing L1: 16 bytes up to sm_90, 32 from sm_100 on.
 *
 * For the worker's own kernels, which measure peak bandwidths. Compilers before CUDA 12.9 have no access of
 * 32 bytes; with them all accesses have 16. */
#ifndef KERNELS_WIDE_CUH
#define KERNELS_WIDE_CUH

#include "device.cuh"

#if ACCESS_OF_32_BYTES

enum { WIDE_BYTES = 32 };
typedef bytes_of<WIDE_BYTES> wide;

static __device__ __forceinline__ wide load_wide(const wide *from)
{
    wide value;
    asm volatile("ld.global.cg.v4.b64 {%0, %1, %2, %3}, [%4];"
                 : "=l"(value.part[0]), "=l"(value.part[1]), "=l"(value.part[2]), "=l"(value.part[3])
                 : "l"(from));
    return value;
}

static __device__ __forceinline__ void store_wide(wide *to, const wide &value)
{
    asm volatile("st.global.cg.v4.b64 [%0], {%1, %2, %3, %4};" ::"l"(to), "l"(value.part[0]),
                 "l"(value.part[1]), "l"(value.part[2]), "l"(value.part[3])
                 : "memory");
}

/* Four 32-bit numbers, repeated to the end of the access. */
static __device__ __forceinline__ wide make_wide(u32 a, u32 b, u32 c, u32 d)
{
    const u64 low = (u64)b << 32 | a, high = (u64)d << 32 | c;
    return {{low, high, low, high}};
}

static __device__ __forceinline__ u32 sum_wide(const wide &value)
{
    const u64 sum = value.part[0] ^ value.part[1] ^ value.part[2] ^ value.part[3];
    return (u32)sum ^ (u32)(sum >> 32);
}

#else

enum { WIDE_BYTES = 16 };
typedef bytes_of<WIDE_BYTES> wide;

static __device__ __forceinline__ wide load_wide(const wide *from)
{
    return {__ldcg(&from->part)};
}

static __device__ __forceinline__ void store_wide(wide *to, const wide &value)
{
    __stcg(&to->part, value.part);
}

static __device__ __forceinline__ wide make_wide(u32 a, u32 b, u32 c, u32 d)
{
    return {make_uint4(a, b, c, d)};
}

static __device__ __forceinline__ u32 sum_wide(const wide &value)
{
    return value.part.x ^ value.part.y ^ value.part.z ^ value.part.w;
}

#endif

#endif
