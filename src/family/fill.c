#include "family/fill.h"

#include <stdbool.h>
#include <string.h>

/* Elements per block: a constant, so that the compiler vectorises the loops. */
enum { BLOCK = 64 };

/* A part of make_block, in each of its versions. */
#define PART static inline __attribute__((always_inline))

static bool is_whole(enum dtype dtype)
{
    return dtype == DTYPE_U8 || dtype == DTYPE_I32 || dtype == DTYPE_I64;
}

void fill_element(const struct fill *fill, enum dtype dtype, uint64_t seed, uint64_t index, void *element)
{
    if (is_whole(dtype)) {
        uint64_t whole = fill_integer(fill, seed, index); /* little-endian: the low bytes are the element */
        memcpy(element, &whole, dtype_size(dtype));
        return;
    }
    float real = fill_real(fill, seed, index);
    if (dtype == DTYPE_F32)
        memcpy(element, &real, sizeof real);
    else
        dtype_store(dtype, element, (double)real);
}

/* ---- Blocks of elements ---- */

PART void make_bits(uint64_t seed, uint64_t first, uint64_t *restrict out)
{
    for (uint64_t i = 0; i < BLOCK; i++)
        out[i] = fill_bits(seed, first + i);
}

/* As fill_real. The 24 bits are converted as int32, which is faster. */
PART void make_reals(const struct fill *fill, uint64_t seed, uint64_t first, float *restrict out)
{
    uint64_t bits[BLOCK];
    float low = fill->low, width = fill->high - fill->low;
    make_bits(seed, first, bits);
    for (int i = 0; i < BLOCK; i++)
        out[i] = low + (float)(int32_t)(bits[i] >> 40) * 0x1p-24f * width;
}

/* A block of integers. */
PART void make_whole(const struct fill *fill, uint64_t seed, uint64_t first, uint64_t *out)
{
    uint64_t modulus = fill->modulus, last;
    /* Without overflow consecutive values differ by a constant, mod modulus. */
    if (fill->kind == FILL_INDEX && !__builtin_mul_overflow(first + BLOCK, fill->multiplier, &last) &&
        last <= UINT64_MAX - fill->addend) {
        uint64_t at = fill_integer(fill, seed, first), step = fill->multiplier % modulus;
        for (int i = 0; i < BLOCK; i++) {
            out[i] = at;
            at = at >= modulus - step ? at - (modulus - step) : at + step;
        }
        return;
    }
    if (fill->kind != FILL_RANDOM && fill->kind != FILL_BELOW) {
        for (uint64_t i = 0; i < BLOCK; i++)
            out[i] = fill_integer(fill, seed, first + i);
        return;
    }
    make_bits(seed, first, out);
    if (fill->kind != FILL_BELOW)
        return;
    for (int i = 0; i < BLOCK; i++)
        out[i] = modulus & (modulus - 1) ? out[i] % modulus : out[i] & (modulus - 1);
}

PART void narrow(const uint64_t *restrict whole, enum dtype dtype, void *restrict out)
{
    if (dtype == DTYPE_U8)
        for (int i = 0; i < BLOCK; i++)
            ((uint8_t *)out)[i] = (uint8_t)whole[i];
    else if (dtype == DTYPE_I32)
        for (int i = 0; i < BLOCK; i++)
            ((uint32_t *)out)[i] = (uint32_t)whole[i];
    else
        memcpy(out, whole, BLOCK * sizeof *whole);
}

/* Compiled for several vector widths, of which the loader takes the processor's. Products of 64 bits need
 * more than avx512f. */
#if defined __x86_64__ && defined __GLIBC__ && __GNUC__ >= 12
__attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#elif defined __x86_64__ && defined __GLIBC__
__attribute__((target_clones("default", "avx2", "avx512f")))
#endif
static void
make_block(const struct fill *fill, enum dtype dtype, uint64_t seed, uint64_t first, void *out)
{
    _Alignas(64) uint64_t whole[BLOCK];
    _Alignas(64) float reals[BLOCK];
    _Alignas(64) double wide[BLOCK];
    if (is_whole(dtype)) {
        make_whole(fill, seed, first, whole);
        narrow(whole, dtype, out);
        return;
    }
    if (fill_is_stepped(fill))
        for (int i = 0; i < BLOCK; i++)
            reals[i] = fill_real(fill, seed, first + (uint64_t)i);
    else
        make_reals(fill, seed, first, reals);
    if (dtype == DTYPE_F32) {
        memcpy(out, reals, sizeof reals);
        return;
    }
    for (int i = 0; i < BLOCK; i++)
        wide[i] = (double)reals[i];
    dtype_store_range(dtype, out, wide, BLOCK);
}

void fill_range(const struct fill *fill, enum dtype dtype, uint64_t seed, uint64_t first, uint64_t count,
                void *out)
{
    uint64_t done = 0;
    _Alignas(64) unsigned char block[BLOCK * sizeof(uint64_t)]; /* `out` may be unaligned */
    for (; done + BLOCK <= count; done += BLOCK) {
        make_block(fill, dtype, seed, first + done, block);
        memcpy((char *)out + dtype_bytes(dtype, done), block, dtype_bytes(dtype, BLOCK));
    }
    if (dtype == DTYPE_E2M1 && done < count) { /* the rest of a block, as whole bytes */
        double values[BLOCK];
        for (uint64_t i = 0; done + i < count; i++)
            values[i] = (double)fill_real(fill, seed, first + done + i);
        dtype_store_range(dtype, (char *)out + dtype_bytes(dtype, done), values, count - done);
        return;
    }
    for (; done < count; done++)
        fill_element(fill, dtype, seed, first + done, (char *)out + done * dtype_size(dtype));
}
