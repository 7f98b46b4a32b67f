/* hint.cuh - loads and stores of `bytes_of` with the cache hint of the axis `hint`: included by NAME.cu as
 * "hint.cuh".
 *
 *   default       chosen by the compiler
 *   stream        data that are used once: evicted first (.cs)
 *   no_allocate   loads and stores do not allocate in L1 (L1::no_allocate)
 *   evict_first   lines are evicted first from L2 (a policy of createpolicy, for loads and stores)
 *   evict_last    lines are evicted last from L2
 *   fetch_64, fetch_128, fetch_256   a load that misses fetches so many bytes into L2
 *
 * Loads must be from memory that the kernel does not write: they use the read-only path, as with
 * __restrict__. */
#ifndef KERNELS_HINT_CUH
#define KERNELS_HINT_CUH

#include "device.cuh"

#if defined(hint_default)
#define HINTED 0
#elif defined(hint_stream)
#define HINT_LOAD  "ld.global.cs.nc"
#define HINT_STORE "st.global.cs"
#elif defined(hint_no_allocate)
#define HINT_LOAD  "ld.global.nc.L1::no_allocate"
#define HINT_STORE "st.global.L1::no_allocate"
#elif defined(hint_evict_first)
#define HINT_POLICY "createpolicy.fractional.L2::evict_first.b64 %0, 1.0;"
#elif defined(hint_evict_last)
#define HINT_POLICY "createpolicy.fractional.L2::evict_last.b64 %0, 1.0;"
#elif defined(hint_fetch_64)
#define HINT_LOAD "ld.global.nc.L2::64B"
#elif defined(hint_fetch_128)
#define HINT_LOAD "ld.global.nc.L2::128B"
#elif defined(hint_fetch_256)
#define HINT_LOAD "ld.global.nc.L2::256B"
#else
#error "no hint_... is defined"
#endif

#if defined(HINT_POLICY)
#define HINT_LOAD    "ld.global.nc.L2::cache_hint"
#define HINT_STORE   "st.global.L2::cache_hint"
#define HINT_LAST(n) ", %" #n ";"
#define HINT_OPERAND , "l"(policy)
#else
#define HINT_LAST(n) ";"
#define HINT_OPERAND
#endif
#ifndef HINT_STORE
#define HINT_STORE "st.global"
#endif

#if defined(HINTED)

template <int N>
static __device__ __forceinline__ bytes_of<N> hinted_load(const bytes_of<N> *__restrict__ from)
{
    return *from;
}

template <int N>
static __device__ __forceinline__ void hinted_store(bytes_of<N> *to, const bytes_of<N> &value)
{
    *to = value;
}

#else

static __device__ __forceinline__ u64 hint_policy()
{
    u64 policy = 0;
#if defined(HINT_POLICY)
    asm(HINT_POLICY : "=l"(policy));
#endif
    return policy;
}

static __device__ __forceinline__ bytes_of<1> hinted_load(const bytes_of<1> *from)
{
    u16 value;
    [[maybe_unused]] const u64 policy = hint_policy();
    asm volatile(HINT_LOAD ".u8 %0, [%1]" HINT_LAST(2) : "=h"(value) : "l"(from)HINT_OPERAND);
    return {(u8)value};
}

static __device__ __forceinline__ bytes_of<2> hinted_load(const bytes_of<2> *from)
{
    bytes_of<2> value;
    [[maybe_unused]] const u64 policy = hint_policy();
    asm volatile(HINT_LOAD ".u16 %0, [%1]" HINT_LAST(2) : "=h"(value.part) : "l"(from)HINT_OPERAND);
    return value;
}

static __device__ __forceinline__ bytes_of<4> hinted_load(const bytes_of<4> *from)
{
    bytes_of<4> value;
    [[maybe_unused]] const u64 policy = hint_policy();
    asm volatile(HINT_LOAD ".u32 %0, [%1]" HINT_LAST(2) : "=r"(value.part) : "l"(from)HINT_OPERAND);
    return value;
}

static __device__ __forceinline__ bytes_of<8> hinted_load(const bytes_of<8> *from)
{
    bytes_of<8> value;
    [[maybe_unused]] const u64 policy = hint_policy();
    asm volatile(HINT_LOAD ".v2.u32 {%0, %1}, [%2]" HINT_LAST(3)
                 : "=r"(value.part.x), "=r"(value.part.y)
                 : "l"(from)HINT_OPERAND);
    return value;
}

static __device__ __forceinline__ bytes_of<16> hinted_load(const bytes_of<16> *from)
{
    bytes_of<16> value;
    [[maybe_unused]] const u64 policy = hint_policy();
    asm volatile(HINT_LOAD ".v4.u32 {%0, %1, %2, %3}, [%4]" HINT_LAST(5)
                 : "=r"(value.part.x), "=r"(value.part.y), "=r"(value.part.z), "=r"(value.part.w)
                 : "l"(from)HINT_OPERAND);
    return value;
}

static __device__ __forceinline__ bytes_of<32> hinted_load(const bytes_of<32> *from)
{
    bytes_of<32> value;
    [[maybe_unused]] const u64 policy = hint_policy();
#if ACCESS_OF_32_BYTES
    asm volatile(HINT_LOAD ".v4.b64 {%0, %1, %2, %3}, [%4]" HINT_LAST(5)
                 : "=l"(value.part[0]), "=l"(value.part[1]), "=l"(value.part[2]), "=l"(value.part[3])
                 : "l"(from)HINT_OPERAND);
#else
    for (int i = 0; i < 4; i += 2)
        asm volatile(HINT_LOAD ".v2.b64 {%0, %1}, [%2]" HINT_LAST(3)
                     : "=l"(value.part[i]), "=l"(value.part[i + 1])
                     : "l"(from->part + i) HINT_OPERAND);
#endif
    return value;
}

static __device__ __forceinline__ void hinted_store(bytes_of<1> *to, const bytes_of<1> &value)
{
    [[maybe_unused]] const u64 policy = hint_policy();
    asm volatile(HINT_STORE ".u8 [%0], %1" HINT_LAST(2)::"l"(to), "h"((u16)value.part)HINT_OPERAND
                 : "memory");
}

static __device__ __forceinline__ void hinted_store(bytes_of<2> *to, const bytes_of<2> &value)
{
    [[maybe_unused]] const u64 policy = hint_policy();
    asm volatile(HINT_STORE ".u16 [%0], %1" HINT_LAST(2)::"l"(to), "h"(value.part)HINT_OPERAND : "memory");
}

static __device__ __forceinline__ void hinted_store(bytes_of<4> *to, const bytes_of<4> &value)
{
    [[maybe_unused]] const u64 policy = hint_policy();
    asm volatile(HINT_STORE ".u32 [%0], %1" HINT_LAST(2)::"l"(to), "r"(value.part)HINT_OPERAND : "memory");
}

static __device__ __forceinline__ void hinted_store(bytes_of<8> *to, const bytes_of<8> &value)
{
    [[maybe_unused]] const u64 policy = hint_policy();
    asm volatile(HINT_STORE ".v2.u32 [%0], {%1, %2}" HINT_LAST(3)::"l"(to), "r"(value.part.x),
                 "r"(value.part.y)HINT_OPERAND
                 : "memory");
}

static __device__ __forceinline__ void hinted_store(bytes_of<16> *to, const bytes_of<16> &value)
{
    [[maybe_unused]] const u64 policy = hint_policy();
    asm volatile(HINT_STORE ".v4.u32 [%0], {%1, %2, %3, %4}" HINT_LAST(5)::"l"(to), "r"(value.part.x),
                 "r"(value.part.y), "r"(value.part.z), "r"(value.part.w)HINT_OPERAND
                 : "memory");
}

static __device__ __forceinline__ void hinted_store(bytes_of<32> *to, const bytes_of<32> &value)
{
    [[maybe_unused]] const u64 policy = hint_policy();
#if ACCESS_OF_32_BYTES
    asm volatile(HINT_STORE ".v4.b64 [%0], {%1, %2, %3, %4}" HINT_LAST(5)::"l"(to), "l"(value.part[0]),
                 "l"(value.part[1]), "l"(value.part[2]), "l"(value.part[3])HINT_OPERAND
                 : "memory");
#else
    for (int i = 0; i < 4; i += 2)
        asm volatile(HINT_STORE ".v2.b64 [%0], {%1, %2}" HINT_LAST(3)::"l"(to->part + i), "l"(value.part[i]),
                     "l"(value.part[i + 1]) HINT_OPERAND
                     : "memory");
#endif
}
#endif
#endif
