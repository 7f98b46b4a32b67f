#include "core/dtype.h"

#include <math.h>
#include <string.h>

const char *const dtype_words[] = {"u8", "i32", "i64", "f16", "bf16", "f32", "f64", "e4m3", "e5m2", NULL};

/* The small floating-point formats by their parameters; all conversions follow from these. */
struct format {
    int exponent_bits, mantissa_bits, bias;
    int has_infinity; /* else the top exponent holds finite values, and all ones is the only NaN */
    int saturates;    /* out of range becomes the largest finite value, not infinity */
};
static const struct format format_f16 = {5, 10, 15, 1, 0};
static const struct format format_bf16 = {8, 7, 127, 1, 0};
static const struct format format_e4m3 = {4, 3, 7, 0, 1};
static const struct format format_e5m2 = {5, 2, 15, 1, 1};

uint64_t dtype_size(enum dtype dtype)
{
    static const unsigned char sizes[DTYPE_COUNT] = {1, 4, 8, 2, 2, 4, 8, 1, 1};
    return sizes[dtype];
}

const char *dtype_cuda(enum dtype dtype)
{
    static const char *const names[DTYPE_COUNT] = {"unsigned char", "int",           "long long",
                                                   "__half",        "__nv_bfloat16", "float",
                                                   "double",        "__nv_fp8_e4m3", "__nv_fp8_e5m2"};
    return names[dtype];
}

/* 2^n for -1022 <= n <= 1023, from its bits: what ldexp does, many times as fast. */
static double power_of_two(int n)
{
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The exponent of a normal double; -1023 for zero and subnormal ones, which are below every small format. */
static int exponent_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits >> 52 & 0x7ff) - 1023;
}

static double small_float_load(const struct format *f, unsigned bits)
{
    unsigned mantissa = bits & ((1u << f->mantissa_bits) - 1);
    unsigned top = (1u << f->exponent_bits) - 1;
    unsigned exponent = bits >> f->mantissa_bits & top;
    double sign = bits >> (f->mantissa_bits + f->exponent_bits) & 1 ? -1.0 : 1.0;
    if (exponent == top) {
        if (f->has_infinity)
            return mantissa ? NAN : sign * INFINITY;
        if (mantissa == (1u << f->mantissa_bits) - 1)
            return NAN;
    }
    if (!exponent)
        return sign * mantissa * power_of_two(1 - f->bias - f->mantissa_bits);
    return sign * (mantissa + (1u << f->mantissa_bits)) *
           power_of_two((int)exponent - f->bias - f->mantissa_bits);
}

static unsigned small_float_store(const struct format *f, double value)
{
    unsigned top = (1u << f->exponent_bits) - 1, all = (1u << f->mantissa_bits) - 1;
    unsigned sign = signbit(value) ? 1u << (f->mantissa_bits + f->exponent_bits) : 0;
    unsigned infinity = top << f->mantissa_bits;
    unsigned largest = f->has_infinity ? infinity - 1 : infinity + all - 1;
    if (isnan(value))
        return sign | infinity | all;
    double magnitude = fabs(value);
    if (isinf(magnitude))
        return sign | (f->saturates ? largest : infinity);
    int exponent = exponent_of(magnitude);
    if (exponent < 1 - f->bias)
        exponent = 1 - f->bias; /* subnormal: the spacing of the smallest normals */
    /* Beyond every small format's range; and the scaling below would leave that of power_of_two. */
    if (exponent > f->bias + 1)
        return sign | (f->saturates || !f->has_infinity ? largest : infinity);
    /* Adding 2^52 leaves no bits for a fraction: the sum is rounded to a whole number, ties to even. */
    double scaled = magnitude * power_of_two(f->mantissa_bits - exponent) + 0x1p52 - 0x1p52;
    /* Counting in units of the last place from zero, a carry out of the mantissa steps into the next
     * exponent. */
    double ordinal = scaled + (double)((long long)(exponent + f->bias - 1) << f->mantissa_bits);
    if (ordinal > largest)
        return sign | (f->saturates || !f->has_infinity ? largest : infinity);
    return sign | (unsigned)ordinal;
}

double dtype_load(enum dtype dtype, const void *element)
{
    uint8_t u8;
    uint16_t u16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    switch (dtype) {
    case DTYPE_U8:
        return *(const uint8_t *)element;
    case DTYPE_I32:
        memcpy(&i32, element, sizeof i32);
        return i32;
    case DTYPE_I64:
        memcpy(&i64, element, sizeof i64);
        return (double)i64;
    case DTYPE_F16:
        memcpy(&u16, element, sizeof u16);
        return small_float_load(&format_f16, u16);
    case DTYPE_BF16:
        memcpy(&u16, element, sizeof u16);
        return small_float_load(&format_bf16, u16);
    case DTYPE_F32:
        memcpy(&f32, element, sizeof f32);
        return f32;
    case DTYPE_F64:
        memcpy(&f64, element, sizeof f64);
        return f64;
    case DTYPE_E4M3:
    case DTYPE_E5M2:
        memcpy(&u8, element, sizeof u8);
        return small_float_load(dtype == DTYPE_E4M3 ? &format_e4m3 : &format_e5m2, u8);
    case DTYPE_COUNT:
        break;
    }
    return NAN;
}

/* Truncated towards zero, saturated; NaN becomes 0, as CUDA's cvt does. */
static int64_t saturate(double value, double low, double high)
{
    if (isnan(value))
        return 0;
    if (value <= low)
        return (int64_t)low;
    if (value >= high)
        return high >= 9223372036854775807.0 ? INT64_MAX : (int64_t)high;
    return (int64_t)value;
}

void dtype_store(enum dtype dtype, void *element, double value)
{
    switch (dtype) {
    case DTYPE_U8:
        *(uint8_t *)element = (uint8_t)saturate(value, 0, 255);
        break;
    case DTYPE_I32: {
        int32_t i32 = (int32_t)saturate(value, INT32_MIN, INT32_MAX);
        memcpy(element, &i32, sizeof i32);
        break;
    }
    case DTYPE_I64: {
        int64_t i64 = saturate(value, -0x1p63, 0x1p63);
        memcpy(element, &i64, sizeof i64);
        break;
    }
    case DTYPE_F16:
    case DTYPE_BF16: {
        uint16_t u16 = (uint16_t)small_float_store(dtype == DTYPE_F16 ? &format_f16 : &format_bf16, value);
        memcpy(element, &u16, sizeof u16);
        break;
    }
    case DTYPE_F32: {
        float f32 = (float)value;
        memcpy(element, &f32, sizeof f32);
        break;
    }
    case DTYPE_F64:
        memcpy(element, &value, sizeof value);
        break;
    case DTYPE_E4M3:
    case DTYPE_E5M2:
        *(uint8_t *)element =
            (uint8_t)small_float_store(dtype == DTYPE_E4M3 ? &format_e4m3 : &format_e5m2, value);
        break;
    case DTYPE_COUNT:
        break;
    }
}
