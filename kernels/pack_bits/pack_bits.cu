/* pack_bits - pack eight truth values into a byte: it reads eight times as much as it writes, so the loads
 * are the limit.
 *
 * The input has bytes that are 0 or 1. The first of eight goes to the lowest bit of its byte (order little)
 * or to the highest (order big). Bits past the end are 0.
 *
 *   cub      cub::BlockLoad gives each thread eight values; the thread combines them by shifts and stores one
 *            byte
 *   ballot   each lane reads one value, and a warp vote packs 32 of them into a word; lane i keeps word i, so
 *            that ITEMS words are stored by one instruction
 *   wide     a thread reads 16 values by one access, and packs four at a time by one multiplication
 */
#include "device.cuh"

#ifndef ITEMS
#error "ITEMS is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif
#if !defined(order_little) && !defined(order_big)
#error "no order_... is defined"
#endif

/* Pack four values, a byte each, into four bits. The multiplication moves each bit to its place among bits 24
 * to 27; the partial products do not overlap, so there are no carries. */
static __device__ __forceinline__ u32 nibble(u32 four)
{
#ifdef order_little
    return four * 0x01020408u >> 24; /* bits 0, 8, 16, 24 to 24, 25, 26, 27 */
#else
    return four * 0x08040201u >> 24; /* bits 0, 8, 16, 24 to 27, 26, 25, 24 */
#endif
}

/* Pack eight values into a byte; the first four are in `first`. */
static __device__ __forceinline__ u32 byte_of(u32 first, u32 second)
{
#ifdef order_little
    return nibble(first) | nibble(second) << 4;
#else
    return nibble(first) << 4 | nibble(second);
#endif
}

/* Pack up to eight values before `end`, one by one: the rest at the end of the array. */
static __device__ u8 last_byte(const u8 *in, const u8 *end)
{
    u32 byte = 0;
    for (int i = 0; i < 8 && in + i < end; i++)
#ifdef order_little
        byte |= (u32)in[i] << i;
#else
        byte |= (u32)in[i] << (7 - i);
#endif
    return (u8)byte;
}

#if defined(variant_cub)
#include <cub/block/block_load.cuh>

/* Each thread packs ITEMS times eight values, a block's width apart. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    pack_bits(const u8 *__restrict__ in, u8 *__restrict__ out, u64 count)
{
    typedef cub::BlockLoad<u8, BLOCK, 8, cub::BLOCK_LOAD_VECTORIZE> load;
    const u64 tile = (u64)blockIdx.x * (BLOCK * ITEMS * 8);
    const u8 *end = in + count;
    in += tile;
    out += tile / 8;
    if (tile + BLOCK * ITEMS * 8 <= count) {
        u8 value[ITEMS][8];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            load().Load(in + i * (BLOCK * 8), value[i]);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            u32 byte = 0;
#pragma unroll
            for (int bit = 0; bit < 8; bit++)
#ifdef order_little
                byte |= (u32)value[i][bit] << bit;
#else
                byte |= (u32)value[i][bit] << (7 - bit);
#endif
            out[i * BLOCK + threadIdx.x] = (u8)byte;
        }
    } else {
        for (u32 i = threadIdx.x; in + (u64)i * 8 < end; i += BLOCK)
            out[i] = last_byte(in + (u64)i * 8, end);
    }
}

#elif defined(variant_ballot)

static __device__ __forceinline__ u32 vote(bool value)
{
    u32 word = __ballot_sync(0xffffffff, value); /* lane 0 is the lowest bit of the lowest byte */
#ifdef order_big
    word = __byte_perm(__brev(word), 0, 0x0123); /* reverse all bits, then restore the order of the bytes */
#endif
    return word;
}

/* Each warp packs ITEMS times 32 values; lane i stores word i. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    pack_bits(const u8 *__restrict__ in, u8 *__restrict__ out, u64 count)
{
    const u32 lane = threadIdx.x % 32;
    const u64 first = ((u64)blockIdx.x * (BLOCK / 32) + threadIdx.x / 32) * (32 * ITEMS);
    if (first >= count)
        return;
    in += first;
    out += first / 8;
    u32 mine = 0;
    if (first + 32 * ITEMS <= count) {
        bool value[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            value[i] = in[i * 32 + lane] != 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            u32 word = vote(value[i]);
            if (lane == i)
                mine = word;
        }
        if (lane < ITEMS)
            ((u32 *)out)[lane] = mine;
    } else { /* the last warp stores single bytes */
        const u32 left = (u32)(count - first);
        for (u32 i = 0; i * 32 < left; i++) {
            u32 word = vote(i * 32 + lane < left && in[i * 32 + lane] != 0);
            u32 byte = i * 4 + lane;
            if (lane < 4 && byte * 8 < left)
                out[byte] = (u8)(word >> (8 * lane));
        }
    }
}

#elif defined(variant_wide)

/* Each thread packs ITEMS times 16 values, a block's width apart. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    pack_bits(const u8 *__restrict__ in, u8 *__restrict__ out, u64 count)
{
    const u64 tile = (u64)blockIdx.x * (BLOCK * ITEMS * 16);
    const u8 *end = in + count;
    in += tile;
    out += tile / 8;
    if (tile + BLOCK * ITEMS * 16 <= count) {
        uint4 value[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            value[i] = ((const uint4 *)in)[i * BLOCK + threadIdx.x];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            ((u16 *)out)[i * BLOCK + threadIdx.x] =
                (u16)(byte_of(value[i].x, value[i].y) | byte_of(value[i].z, value[i].w) << 8);
    } else {
        for (u32 i = threadIdx.x; in + (u64)i * 8 < end; i += BLOCK)
            out[i] = last_byte(in + (u64)i * 8, end);
    }
}

#else
#error "no variant_... is defined"
#endif
