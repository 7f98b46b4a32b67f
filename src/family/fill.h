/* fill.h - contents of inputs: a pure function of seed and index, the same in C and in CUDA.
 *
 * The GPU fills gigabytes in milliseconds, and the reference computes any element without storing the array.
 * Both the C compiler and NVRTC compile this header. Inputs are random unless a point asks for other
 * contents: power and memory compression depend on them. */
#ifndef FAMILY_FILL_H
#define FAMILY_FILL_H

#ifdef __CUDACC_RTC__
#define FILL_FUNCTION static __device__ inline
typedef unsigned long long fill_u64;
#else
#include <stdint.h>
#define FILL_FUNCTION static inline
typedef uint64_t fill_u64;
#endif

enum fill_kind {
    FILL_RANDOM,    /* random: all bits of integers, floats uniform in [low, high); with a modulus, one of so
                       many floats, which divide [low, high) evenly from `low` on */
    FILL_INDEX,     /* (index * multiplier + addend) mod modulus: linear, strided, or a permutation when
                     multiplier and modulus have no common factor */
    FILL_BELOW,     /* random whole numbers in [0, modulus) */
    FILL_FEISTEL,   /* a random permutation of [0, modulus): a Feistel network, walked until within range */
    FILL_ALTERNATE, /* the bits of multiplier and of addend in turn */
    FILL_WALKING,   /* one bit, which moves up by one from element to element; elements have `modulus` bits */
    FILL_METADATA,  /* metadata of sparse products: of each four bits, at random, two places of four elements
                      that are not zero (2:4), or with modulus 2 one place of two (1:2); see fill_metadata */
};

struct fill {
    int kind;
    float low, high;
    fill_u64 multiplier, addend, modulus;
};

/* splitmix64's finaliser over a Weyl sequence: 64 random bits for (seed, index). */
FILL_FUNCTION fill_u64 fill_bits(fill_u64 seed, fill_u64 index)
{
    fill_u64 x = seed * 0xd1342543de82ef95ull + (index + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/* A permutation of [0, modulus): four Feistel rounds on the smallest even number of bits that holds modulus,
 * repeated until the result is in range (cycle walking, Black & Rogaway 2002). */
FILL_FUNCTION fill_u64 fill_permute(fill_u64 seed, fill_u64 index, fill_u64 modulus)
{
    int half = 1;
    while (half < 32 && (1ull << (2 * half)) < modulus)
        half++;
    fill_u64 mask = (1ull << half) - 1, x = index;
    do {
        fill_u64 left = x >> half, right = x & mask;
        for (int round = 0; round < 4; round++) {
            fill_u64 next = left ^ (fill_bits(seed + (fill_u64)round, right) & mask);
            left = right;
            right = next;
        }
        x = (left << half) | right;
    } while (x >= modulus);
    return x;
}

/* 16 fields of four bits: the lower place in the lower two bits, in ascending order (PTX ISA, "Sparse matrix
 * storage"). 1:2 has 0100 for the first of two elements and 1110 for the second. */
FILL_FUNCTION fill_u64 fill_metadata(fill_u64 seed, fill_u64 index, fill_u64 of)
{
    fill_u64 bits = fill_bits(seed, index), fields = 0;
    for (int i = 0; i < 16; i++) {
        fill_u64 random = bits >> (4 * i) & 15;
        fill_u64 field = 0xed9c84 >> (4 * (random * 3 / 8)) & 15;
        if (of == 2)
            field = random & 1 ? 0xe : 0x4;
        fields |= field << (4 * i);
    }
    return fields;
}

/* The integer at `index`. */
FILL_FUNCTION fill_u64 fill_integer(const struct fill *fill, fill_u64 seed, fill_u64 index)
{
    switch (fill->kind) {
    case FILL_INDEX:
        return (index * fill->multiplier + fill->addend) % fill->modulus;
    case FILL_BELOW:
        return fill_bits(seed, index) % fill->modulus;
    case FILL_FEISTEL:
        return fill_permute(seed, index % fill->modulus, fill->modulus);
    case FILL_ALTERNATE:
        return index % 2 ? fill->addend : fill->multiplier;
    case FILL_WALKING:
        return (fill_u64)1 << index % fill->modulus;
    case FILL_METADATA:
        return fill_metadata(seed, index, fill->modulus);
    default:
        return fill_bits(seed, index);
    }
}

/* Floats of which there are only some. */
FILL_FUNCTION int fill_is_stepped(const struct fill *fill)
{
    return fill->kind == FILL_RANDOM && fill->modulus;
}

/* The real number at `index`: 24 random bits, exact in f32 before it is rounded to a narrower type. */
FILL_FUNCTION float fill_real(const struct fill *fill, fill_u64 seed, fill_u64 index)
{
    fill_u64 bits = fill_bits(seed, index) >> 40;
    if (fill_is_stepped(fill))
        return fill->low + (float)((unsigned)bits % (unsigned)fill->modulus) *
                               ((fill->high - fill->low) / (float)fill->modulus);
    float unit = (float)bits * 5.9604644775390625e-8f; /* 2^-24 */
    return fill->low + unit * (fill->high - fill->low);
}

#ifndef __CUDACC_RTC__
#include "core/dtype.h"

/* Element `index` of a buffer, in its dtype. `element` has dtype_size bytes, of which one of e2m1 is in the
 * lower half. */
void fill_element(const struct fill *fill, enum dtype dtype, uint64_t seed, uint64_t index, void *element);

/* Elements [first, first + count). Those of e2m1 are packed from the lower half of the first byte on. */
void fill_range(const struct fill *fill, enum dtype dtype, uint64_t seed, uint64_t first, uint64_t count,
                void *out);
#endif

#endif
