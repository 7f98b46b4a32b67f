/* dtype.h - the element types a kernel can be compiled for. */
#pragma once

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
    DTYPE_COUNT,
};

/* NULL-terminated, in the order of the enumerators: the words of the `dtype` axis. */
extern const char *const dtype_words[DTYPE_COUNT + 1];

/* Bytes of one element. */
uint64_t dtype_size(enum dtype dtype);

/* The CUDA C++ type: "float", "__half", "__nv_bfloat16", "__nv_fp8_e4m3", ... */
const char *dtype_cuda(enum dtype dtype);

/* One element, as a double. Exact for every type but i64 beyond 2^53. */
double dtype_load(enum dtype dtype, const void *element);

/* Store `value`, rounded to nearest, ties to even. Integers truncate towards zero and saturate. e4m3 saturates to its largest
 * finite value, as the hardware's satfinite conversions do. */
void dtype_store(enum dtype dtype, void *element, double value);

/* The same for `count` elements: faster, with the same bits. `elements` must be aligned for its type. */
void dtype_store_range(enum dtype dtype, void *elements, const double *values, uint64_t count);
void dtype_load_range(enum dtype dtype, const void *elements, double *values, uint64_t count);
