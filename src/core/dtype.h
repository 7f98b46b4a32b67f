/* dtype.h - the element types a kernel can be compiled for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* In the order of dtype_words. Files contain the words, not the numbers. */
enum dtype {
    DTYPE_U8,
    DTYPE_I32,
    DTYPE_I64,
    DTYPE_F16,
    DTYPE_BF16,
    DTYPE_F32,
    DTYPE_F64,
    DTYPE_E4M3, /* fp8, OCP OFP8 revision 1.0: 4 exponent bits, bias 7, no infinity, NaN S.1111.111 */
    DTYPE_E5M2, /* fp8, OCP OFP8 revision 1.0: 5 exponent bits, bias 15, IEEE-like infinity and NaN */
    DTYPE_E2M1, /* fp4, OCP Microscaling Formats 1.0: 2 exponent bits, bias 1, neither infinity nor NaN. An
                   array has two elements in a byte, the first in the lower four bits; a single one lies in
                   the lower four bits of a byte */
    DTYPE_E8M0, /* a block's scale, OCP Microscaling Formats 1.0: 2^(bits - 127); 0xff is NaN. Neither sign
                   nor zero */
    DTYPE_COUNT,
};

/* NULL-terminated, in the order of the enumerators: the words of the `dtype` axis. */
extern const char *const dtype_words[DTYPE_COUNT + 1];

/* The same for families that multiply on tensor cores: `tf32` instead of `f32`, because tensor cores cut f32
 * to tf32. Its elements are those of DTYPE_F32. Until release 0.5 such axes had the word f32: axis_parse
 * still takes it, and point_id still hashes it. */
extern const char *const dtype_tensor_words[DTYPE_COUNT + 1];

static inline bool dtype_are_words(const char *const *words)
{
    return words == dtype_words || words == dtype_tensor_words;
}

/* Whether that is the word of a type of integers, whose operations are no flops. */
bool dtype_is_integer(const char *word);

/* Bytes of one element by itself; of e2m1 1, as half a byte has no address. */
uint64_t dtype_size(enum dtype dtype);

/* Bits of one of many elements, and bytes of `count` of them. */
uint64_t dtype_bits(enum dtype dtype);
uint64_t dtype_bytes(enum dtype dtype, uint64_t count);

/* The CUDA C++ type: "float", "__half", "__nv_bfloat16", "__nv_fp8_e4m3", ... */
const char *dtype_cuda(enum dtype dtype);

/* One element, as a double. Exact for every type but i64 beyond 2^53. */
double dtype_load(enum dtype dtype, const void *element);

/* Store `value`, rounded to nearest, ties to even. Integers truncate towards zero and saturate. e4m3
 * saturates to its largest finite value, as the hardware's satfinite conversions do; so does e2m1, whose
 * largest is also what NaN becomes. e8m0 has the power of two whose code is the nearest: between two powers,
 * the middle is 1.5 times the lower one. What is negative becomes NaN, 0 the smallest. */
void dtype_store(enum dtype dtype, void *element, double value);

/* The same for `count` elements: faster, with the same bits. `elements` must be aligned for its type. An odd
 * last element of e2m1 has a zero beside it. */
void dtype_store_range(enum dtype dtype, void *elements, const double *values, uint64_t count);
void dtype_load_range(enum dtype dtype, const void *elements, double *values, uint64_t count);
