#include "core/dtype.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

const char *const dtype_words[] = {"u8",  "i32",  "i64",  "f16",  "bf16", "f32",
                                   "f64", "e4m3", "e5m2", "e2m1", "e8m0", NULL};
const char *const dtype_tensor_words[] = {"u8",  "i32",  "i64",  "f16",  "bf16", "tf32",
                                          "f64", "e4m3", "e5m2", "e2m1", "e8m0", NULL};

/* The small floating-point formats by their parameters; all conversions follow from these. */
struct format {
    int exponent_bits, mantissa_bits, bias;
    int has_infinity; /* else the top exponent holds finite values, and all ones is the only NaN */
    int saturates;    /* out of range becomes the largest finite value, not infinity */
    int has_no_nan;   /* all ones is a finite value, too */
};
static const struct format format_f16 = {5, 10, 15, 1, 0, 0};
static const struct format format_bf16 = {8, 7, 127, 1, 0, 0};
static const struct format format_e4m3 = {4, 3, 7, 0, 1, 0};
static const struct format format_e5m2 = {5, 2, 15, 1, 1, 0};
static const struct format format_e2m1 = {2, 1, 1, 0, 1, 1};

uint64_t dtype_size(enum dtype dtype)
{
    static const unsigned char sizes[DTYPE_COUNT] = {1, 4, 8, 2, 2, 4, 8, 1, 1, 1, 1};
    return sizes[dtype];
}

uint64_t dtype_bits(enum dtype dtype)
{
    return dtype == DTYPE_E2M1 ? 4 : 8 * dtype_size(dtype);
}

bool dtype_is_integer(const char *word)
{
    for (enum dtype dtype = DTYPE_U8; dtype <= DTYPE_I64; dtype++)
        if (!strcmp(word, dtype_words[dtype]))
            return true;
    return false;
}

uint64_t dtype_bytes(enum dtype dtype, uint64_t count)
{
    return dtype == DTYPE_E2M1 ? count / 2 + count % 2 : count * dtype_size(dtype);
}

const char *dtype_cuda(enum dtype dtype)
{
    static const char *const names[DTYPE_COUNT] = {
        "unsigned char", "int",           "long long",     "__half",        "__nv_bfloat16", "float",
        "double",        "__nv_fp8_e4m3", "__nv_fp8_e5m2", "__nv_fp4_e2m1", "__nv_fp8_e8m0"};
    return names[dtype];
}

/* Elements that are converted at once, and a constant: the compiler makes vectors of such loops. */
enum { TOGETHER = 32 };

static inline double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* 2^n for -1022 <= n <= 1023, from its bits: what ldexp does, many times as fast. */
static inline double power_of_two(int64_t n)
{
    return double_of((uint64_t)(n + 1023) << 52);
}

static inline double small_float_load(const struct format *f, unsigned bits)
{
    unsigned mantissa = bits & ((1u << f->mantissa_bits) - 1);
    unsigned top = (1u << f->exponent_bits) - 1;
    unsigned exponent = bits >> f->mantissa_bits & top;
    double sign = bits >> (f->mantissa_bits + f->exponent_bits) & 1 ? -1.0 : 1.0;
    if (exponent == top) {
        if (f->has_infinity)
            return mantissa ? NAN : sign * INFINITY;
        if (mantissa == (1u << f->mantissa_bits) - 1 && !f->has_no_nan)
            return NAN;
    }
    if (!exponent)
        return sign * mantissa * power_of_two(1 - f->bias - f->mantissa_bits);
    return sign * (mantissa + (1u << f->mantissa_bits)) *
           power_of_two((int)exponent - f->bias - f->mantissa_bits);
}

/* To the nearest, ties to even. Without a branch, so that several can be converted at once. */
static inline uint64_t small_float_store(const struct format *f, double value)
{
    uint64_t top = (1u << f->exponent_bits) - 1, all = (1u << f->mantissa_bits) - 1;
    uint64_t infinity = top << f->mantissa_bits;
    uint64_t largest = f->has_no_nan ? infinity + all : infinity + all - 1;
    if (f->has_infinity)
        largest = infinity - 1;
    uint64_t limit = f->saturates || !f->has_infinity ? largest : infinity; /* what is out of range becomes */
    uint64_t magnitude = bits_of(value) & (UINT64_MAX >> 1);
    uint64_t sign = bits_of(value) >> 63 << (f->mantissa_bits + f->exponent_bits);
    int64_t exponent = (int64_t)(magnitude >> 52) - 1023, least = 1 - f->bias, most = f->bias + 1;
    bool beyond = exponent > most;                  /* infinity and NaN, too */
    exponent = exponent < least ? least : exponent; /* subnormal: the spacing of the smallest normals */
    exponent = beyond ? most : exponent;
    /* Adding 2^52 leaves no bits for a fraction: the sum is rounded to a whole number, which is its lowest
     * bits. */
    double scaled = double_of(magnitude) * power_of_two(f->mantissa_bits - exponent) + 0x1p52;
    /* Counting in units of the last place from zero, a carry out of the mantissa steps into the next
     * exponent. */
    uint64_t ordinal = (bits_of(scaled) & ((UINT64_C(1) << 52) - 1)) +
                       ((uint64_t)(exponent + f->bias - 1) << f->mantissa_bits);
    ordinal = beyond || ordinal > largest ? limit : ordinal;
    ordinal = magnitude > bits_of(INFINITY) ? infinity | all : ordinal;
    return sign | ordinal;
}

/* Codes are exponents, but for 0xff. */
static double scale_load(uint8_t code)
{
    return code == 0xff ? NAN : power_of_two((int64_t)code - 127);
}

/* Rounding to an even code is rounding to an even exponent of f64: their biases differ by an even number. */
static uint8_t scale_store(double value)
{
    uint64_t bits = bits_of(value) & (UINT64_MAX >> 1);
    if (isnan(value) || value < 0)
        return 0xff;
    int64_t code = (int64_t)((bits + (UINT64_C(1) << 51) - 1 + (bits >> 52 & 1)) >> 52) - 1023 + 127;
    if (code < 0)
        return 0;
    return (uint8_t)(code > 254 ? 254 : code);
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
    case DTYPE_E2M1:
        return small_float_load(&format_e2m1, *(const uint8_t *)element & 15);
    case DTYPE_E8M0:
        return scale_load(*(const uint8_t *)element);
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
    case DTYPE_E2M1:
        *(uint8_t *)element = (uint8_t)small_float_store(&format_e2m1, isnan(value) ? INFINITY : value);
        break;
    case DTYPE_E8M0:
        *(uint8_t *)element = scale_store(value);
        break;
    case DTYPE_COUNT:
        break;
    }
}

/* ---- Many at once ---- */

/* bf16 is the upper half of an f32. */
static inline double quick_bf16(uint64_t word)
{
    uint32_t bits = (uint32_t)word << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* The exponent's bias is put right by a product, which subnormal numbers survive exactly. */
static inline double quick_load(const struct format *f, uint64_t word)
{
    if (f == &format_bf16)
        return quick_bf16(word);
    const int bits = f->exponent_bits + f->mantissa_bits;
    const uint64_t top = ((UINT64_C(1) << f->exponent_bits) - 1) << f->mantissa_bits;
    const uint64_t last = f->has_infinity ? top : (UINT64_C(1) << bits) - 2; /* behind it all are NaN */
    const uint64_t magnitude = word & ((UINT64_C(1) << bits) - 1), sign = word >> bits << 63;
    double value = double_of(magnitude << (52 - f->mantissa_bits)) * power_of_two(1023 - f->bias);
    if (f->has_infinity && magnitude == top)
        value = INFINITY;
    return magnitude > last ? NAN : double_of(bits_of(value) | sign);
}

/* Of TOGETHER elements. */
struct conversion {
    void (*store)(const double *restrict values, void *restrict elements);
    void (*load)(const void *restrict elements, double *restrict values);
};

/* The same code for processors of several widths; the bits are the same, since nothing is contracted. */
#define TARGET_plain
#define TARGET_avx2   __attribute__((target("avx2"), flatten))
#define TARGET_avx512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"), flatten))
#define CONVERSION(type, word, width)                                                                        \
    TARGET_##width static void store_##type##_##width(const double *restrict values, void *restrict out)     \
    {                                                                                                        \
        for (int i = 0; i < TOGETHER; i++)                                                                   \
            ((word *)out)[i] = (word)small_float_store(&format_##type, values[i]);                           \
    }                                                                                                        \
    TARGET_##width static void load_##type##_##width(const void *restrict in, double *restrict out)          \
    {                                                                                                        \
        for (int i = 0; i < TOGETHER; i++)                                                                   \
            (out)[i] = quick_load(&format_##type, ((const word *)(in))[i]);                                  \
    }
#define CONVERSIONS(width)                                                                                   \
    CONVERSION(f16, uint16_t, width)                                                                         \
    CONVERSION(bf16, uint16_t, width)                                                                        \
    CONVERSION(e4m3, uint8_t, width)                                                                         \
    CONVERSION(e5m2, uint8_t, width)                                                                         \
    static const struct conversion conversions_##width[DTYPE_COUNT] = {                                      \
        [DTYPE_F16] = {store_f16_##width, load_f16_##width},                                                 \
        [DTYPE_BF16] = {store_bf16_##width, load_bf16_##width},                                              \
        [DTYPE_E4M3] = {store_e4m3_##width, load_e4m3_##width},                                              \
        [DTYPE_E5M2] = {store_e5m2_##width, load_e5m2_##width}};

CONVERSIONS(plain)
#ifdef __x86_64__
CONVERSIONS(avx2)
CONVERSIONS(avx512)
#endif

/* By type; NULL: one at a time. */
static const struct conversion *conversions(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return conversions_avx512;
    if (__builtin_cpu_supports("avx2"))
        return conversions_avx2;
#endif
    return conversions_plain;
}

static void store_pairs(uint8_t *bytes, const double *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i += 2) {
        uint8_t low, high = 0;
        dtype_store(DTYPE_E2M1, &low, values[i]);
        if (i + 1 < count)
            dtype_store(DTYPE_E2M1, &high, values[i + 1]);
        bytes[i / 2] = (uint8_t)(low | high << 4);
    }
}

static void load_pairs(const uint8_t *bytes, double *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        values[i] = small_float_load(&format_e2m1, bytes[i / 2] >> i % 2 * 4 & 15);
}

void dtype_store_range(enum dtype dtype, void *elements, const double *values, uint64_t count)
{
    if (dtype == DTYPE_E2M1) {
        store_pairs(elements, values, count);
        return;
    }
    uint64_t size = dtype_size(dtype), done = 0;
    const struct conversion *together = &conversions()[dtype];
    for (; together->store && done + TOGETHER <= count; done += TOGETHER)
        together->store(values + done, (char *)elements + done * size);
    for (; done < count; done++)
        dtype_store(dtype, (char *)elements + done * size, values[done]);
}

void dtype_load_range(enum dtype dtype, const void *elements, double *values, uint64_t count)
{
    if (dtype == DTYPE_E2M1) {
        load_pairs(elements, values, count);
        return;
    }
    uint64_t size = dtype_size(dtype), done = 0;
    const struct conversion *together = &conversions()[dtype];
    for (; together->load && done + TOGETHER <= count; done += TOGETHER)
        together->load((const char *)elements + done * size, values + done);
    if (dtype == DTYPE_F32)
        for (; done < count; done++)
            values[done] = (double)((const float *)elements)[done];
    for (; done < count; done++)
        values[done] = dtype_load(dtype, (const char *)elements + done * size);
}
