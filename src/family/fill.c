#include "family/fill.h"

#include <stdbool.h>
#include <string.h>

/* Elements per block: a constant, so that the compiler vectorises the loops. */
enum { BLOCK = 64 };

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

static inline void make_bits(uint64_t seed, uint64_t first, uint64_t *restrict out)
{
    for (uint64_t i = 0; i < BLOCK; i++)
        out[i] = fill_bits(seed, first + i);
}

/* As fill_real. The 24 bits are converted as int32, which is faster. */
static inline void make_reals(const struct fill *fill, uint64_t seed, uint64_t first, float *restrict out)
{
    uint64_t bits[BLOCK];
    float low = fill->low, width = fill->high - fill->low;
    make_bits(seed, first, bits);
    for (int i = 0; i < BLOCK; i++)
        out[i] = low + (float)(int32_t)(bits[i] >> 40) * 0x1p-24f * width;
}

struct makers {
    void (*bits)(uint64_t seed, uint64_t first, uint64_t *restrict out);
    void (*reals)(const struct fill *fill, uint64_t seed, uint64_t first, float *restrict out);
};

/* The same code compiled for several vector widths. */
#define TARGET_plain
#define TARGET_avx2   __attribute__((target("avx2"), flatten))
#define TARGET_avx512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"), flatten))
#define MAKERS(width)                                                                                        \
    TARGET_##width static void bits_##width(uint64_t seed, uint64_t first, uint64_t *restrict out)           \
    {                                                                                                        \
        make_bits(seed, first, out);                                                                         \
    }                                                                                                        \
    TARGET_##width static void reals_##width(const struct fill *fill, uint64_t seed, uint64_t first,         \
                                             float *restrict out)                                            \
    {                                                                                                        \
        make_reals(fill, seed, first, out);                                                                  \
    }                                                                                                        \
    static const struct makers makers_##width = {bits_##width, reals_##width};

MAKERS(plain)
#ifdef __x86_64__
MAKERS(avx2)
MAKERS(avx512)
#endif

static const struct makers *makers(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return &makers_avx512;
    if (__builtin_cpu_supports("avx2"))
        return &makers_avx2;
#endif
    return &makers_plain;
}

/* A block of integers. */
static void make_whole(const struct makers *make, const struct fill *fill, uint64_t seed, uint64_t first,
                       uint64_t *out)
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
    make->bits(seed, first, out);
    if (fill->kind != FILL_BELOW)
        return;
    for (int i = 0; i < BLOCK; i++)
        out[i] = modulus & (modulus - 1) ? out[i] % modulus : out[i] & (modulus - 1);
}

static void narrow(const uint64_t *restrict whole, enum dtype dtype, void *restrict out)
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

static void make_block(const struct makers *make, const struct fill *fill, enum dtype dtype, uint64_t seed,
                       uint64_t first, void *out)
{
    _Alignas(64) uint64_t whole[BLOCK];
    _Alignas(64) float reals[BLOCK];
    _Alignas(64) double wide[BLOCK];
    if (is_whole(dtype)) {
        make_whole(make, fill, seed, first, whole);
        narrow(whole, dtype, out);
        return;
    }
    if (fill_is_stepped(fill))
        for (int i = 0; i < BLOCK; i++)
            reals[i] = fill_real(fill, seed, first + (uint64_t)i);
    else
        make->reals(fill, seed, first, reals);
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
    const struct makers *make = makers();
    _Alignas(64) unsigned char block[BLOCK * sizeof(uint64_t)]; /* `out` may be unaligned */
    for (; done + BLOCK <= count; done += BLOCK) {
        make_block(make, fill, dtype, seed, first + done, block);
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
