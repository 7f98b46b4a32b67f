/* Element types: every conversion, exhaustively where a type has few values, against arithmetic of this
 * file's own: a table of all values of the type, searched for the nearest. */
#include <float.h>

#include "unit_test.h"

#include "base/hash.h"
#include "core/dtype.h"

/* Bits of an IEEE-like format to its value, by way of f32 and f64 bit patterns, not of ldexp. */
static double value_of(enum dtype dtype, unsigned bits)
{
    if (dtype == DTYPE_BF16) { /* the upper half of an f32 */
        uint32_t wide = (uint32_t)bits << 16;
        float value;
        memcpy(&value, &wide, sizeof value);
        return value;
    }
    int mantissa_bits = dtype == DTYPE_E5M2 ? 2 : 3;
    if (dtype == DTYPE_F16)
        mantissa_bits = 10;
    int exponent_bits = dtype == DTYPE_E4M3 ? 4 : 5;
    unsigned exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
    unsigned mantissa = bits & ((1u << mantissa_bits) - 1), top = (1u << exponent_bits) - 1;
    double sign = bits >> (mantissa_bits + exponent_bits) ? -1 : 1;
    if (dtype == DTYPE_E4M3 && (bits & 0x7f) == 0x7f)
        return NAN;
    if (dtype != DTYPE_E4M3 && exponent == top)
        return mantissa ? NAN : sign * INFINITY;
    double scale = 1; /* 2^(exponent - bias), by steps */
    int bias = (1 << (exponent_bits - 1)) - 1, power = (exponent ? (int)exponent : 1) - bias;
    for (int i = 0; i < abs(power); i++)
        scale = power < 0 ? scale / 2 : scale * 2;
    return sign * scale * ((exponent ? 1 : 0) + (double)mantissa / (double)(1u << mantissa_bits));
}

static const enum dtype small[] = {DTYPE_F16, DTYPE_BF16, DTYPE_E4M3, DTYPE_E5M2};

static unsigned codes(enum dtype dtype)
{
    return 1u << (8 * dtype_size(dtype));
}

static unsigned stored(enum dtype dtype, double value)
{
    uint64_t bits = 0;
    dtype_store(dtype, &bits, value);
    return (unsigned)bits;
}

TEST(sizes_and_names)
{
    static const struct {
        const char *word, *cuda;
        uint64_t size;
    } rows[] = {{"u8", "unsigned char", 1},   {"i32", "int", 4},
                {"i64", "long long", 8},      {"f16", "__half", 2},
                {"bf16", "__nv_bfloat16", 2}, {"f32", "float", 4},
                {"f64", "double", 8},         {"e4m3", "__nv_fp8_e4m3", 1},
                {"e5m2", "__nv_fp8_e5m2", 1}, {"e2m1", "__nv_fp4_e2m1", 1},
                {"e8m0", "__nv_fp8_e8m0", 1}};
    assert_int_equal(sizeof rows / sizeof *rows, DTYPE_COUNT);
    for (int i = 0; i < DTYPE_COUNT; i++) {
        assert_string_equal(dtype_words[i], rows[i].word);
        assert_string_equal(dtype_cuda((enum dtype)i), rows[i].cuda);
        assert_int_equal(dtype_size((enum dtype)i), rows[i].size);
        assert_int_equal(dtype_bits((enum dtype)i), i == DTYPE_E2M1 ? 4 : 8 * rows[i].size);
        assert_int_equal(dtype_bytes((enum dtype)i, 7), i == DTYPE_E2M1 ? 4 : 7 * rows[i].size);
    }
    assert_null(dtype_words[DTYPE_COUNT]);
}

/* The table of values in OCP Microscaling Formats 1.0, 5.3.3; each code stores back, as do all values between
 * neighbours. */
TEST(e2m1)
{
    static const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    for (unsigned code = 0; code < 16; code++) {
        unsigned char bits = (unsigned char)code;
        const double value = dtype_load(DTYPE_E2M1, &bits),
                     expected = copysign(values[code % 8], code < 8 ? 1 : -1);
        assert_memory_equal(&value, &expected, sizeof value);
        assert_int_equal(stored(DTYPE_E2M1, value), code);
    }
    for (unsigned code = 0; code < 7; code++) {
        const double middle = (values[code] + values[code + 1]) / 2;
        assert_int_equal(stored(DTYPE_E2M1, middle), code + code % 2);
        assert_int_equal(stored(DTYPE_E2M1, -middle), (code + code % 2) | 8);
        assert_int_equal(stored(DTYPE_E2M1, nextafter(middle, 0)), code);
        assert_int_equal(stored(DTYPE_E2M1, nextafter(middle, 7)), code + 1);
    }
    assert_int_equal(stored(DTYPE_E2M1, 6.5), 7);
    assert_int_equal(stored(DTYPE_E2M1, -1e300), 15);
    assert_int_equal(stored(DTYPE_E2M1, INFINITY), 7);
    assert_int_equal(stored(DTYPE_E2M1, NAN), 7);
    /* Two in a byte, the first in the lower half. */
    static const double three[] = {1.5, -6, 0.5};
    unsigned char bytes[3] = {0xee, 0xee, 0xee};
    double back[3];
    dtype_store_range(DTYPE_E2M1, bytes, three, 3);
    assert_int_equal(bytes[0], 0xf3);
    assert_int_equal(bytes[1], 0x01);
    assert_int_equal(bytes[2], 0xee);
    dtype_load_range(DTYPE_E2M1, bytes, back, 3);
    assert_memory_equal(back, three, sizeof three);
}

/* 5.4.1 of the same: 2^(code - 127), and NaN. */
TEST(e8m0)
{
    double value = 0x1p-127;
    for (unsigned code = 0; code < 255; code++, value *= 2) {
        unsigned char bits = (unsigned char)code;
        assert_true(dtype_load(DTYPE_E8M0, &bits) == value);
        assert_int_equal(stored(DTYPE_E8M0, value), code);
        if (code == 254)
            break;
        assert_int_equal(stored(DTYPE_E8M0, 1.5 * value), code + code % 2);
        assert_int_equal(stored(DTYPE_E8M0, nextafter(1.5 * value, 0)), code);
        assert_int_equal(stored(DTYPE_E8M0, nextafter(1.5 * value, INFINITY)), code + 1);
    }
    unsigned char nan = 0xff;
    assert_true(isnan(dtype_load(DTYPE_E8M0, &nan)));
    assert_int_equal(stored(DTYPE_E8M0, NAN), 0xff);
    assert_int_equal(stored(DTYPE_E8M0, -1), 0xff);
    assert_int_equal(stored(DTYPE_E8M0, 0), 0);
    assert_int_equal(stored(DTYPE_E8M0, -0.0), 0);
    assert_int_equal(stored(DTYPE_E8M0, 0x1p-200), 0);
    assert_int_equal(stored(DTYPE_E8M0, INFINITY), 254);
}

TEST(every_code_loads_and_stores_back)
{
    for (size_t t = 0; t < 4; t++) {
        int saturates = small[t] == DTYPE_E4M3 || small[t] == DTYPE_E5M2;
        for (unsigned code = 0; code < codes(small[t]); code++) {
            double value = dtype_load(small[t], &code), expected = value_of(small[t], code);
            unsigned back = stored(small[t], expected);
            if (isnan(expected) ? !isnan(value) : memcmp(&value, &expected, sizeof value) != 0)
                fail_msg("%s 0x%x loads as %g, not %g", dtype_words[small[t]], code, value, expected);
            if (isnan(expected))
                assert_true(isnan(value_of(small[t], back)));
            else if (isinf(expected) && saturates)
                assert_true(value_of(small[t], back) == copysign(57344, expected));
            else if (back != code)
                fail_msg("%s 0x%x came back as 0x%x", dtype_words[small[t]], code, back);
        }
    }
}

/* Between every two neighbours: nearest, and at the middle the even code. */
TEST(rounding_between_all_neighbours)
{
    static const unsigned largest[] = {0x7bff, 0x7f7f, 0x7e, 0x7b};
    for (size_t t = 0; t < 4; t++) {
        enum dtype dtype = small[t];
        unsigned minus = codes(dtype) / 2;
        for (unsigned code = 0; code < largest[t]; code++) {
            double low = value_of(dtype, code), high = value_of(dtype, code + 1), middle = (low + high) / 2;
            unsigned even = code % 2 ? code + 1 : code;
            assert_int_equal(stored(dtype, middle), even);
            assert_int_equal(stored(dtype, -middle), even | minus);
            assert_int_equal(stored(dtype, nextafter(middle, 0)), code);
            assert_int_equal(stored(dtype, nextafter(middle, INFINITY)), code + 1);
            assert_int_equal(stored(dtype, -nextafter(middle, INFINITY)), (code + 1) | minus);
        }
    }
}

TEST(out_of_range)
{
    /* IEEE types: half a step above the largest, and all beyond, is infinity. */
    assert_int_equal(stored(DTYPE_F16, 65519.999), 0x7bff);
    assert_int_equal(stored(DTYPE_F16, 65520), 0x7c00);
    assert_int_equal(stored(DTYPE_F16, -1e300), 0xfc00);
    assert_int_equal(stored(DTYPE_F16, INFINITY), 0x7c00);
    assert_int_equal(stored(DTYPE_BF16, 3.3895313892515355e38), 0x7f7f);
    assert_int_equal(stored(DTYPE_BF16, DBL_MAX), 0x7f80);
    assert_int_equal(stored(DTYPE_BF16, -INFINITY), 0xff80);
    /* fp8 saturates, as cvt.satfinite does. */
    assert_int_equal(stored(DTYPE_E4M3, 448), 0x7e);
    assert_int_equal(stored(DTYPE_E4M3, 464), 0x7e);
    assert_int_equal(stored(DTYPE_E4M3, 1e300), 0x7e);
    assert_int_equal(stored(DTYPE_E4M3, -INFINITY), 0xfe);
    assert_int_equal(stored(DTYPE_E5M2, 57344), 0x7b);
    assert_int_equal(stored(DTYPE_E5M2, 61440), 0x7b);
    assert_int_equal(stored(DTYPE_E5M2, INFINITY), 0x7b);
    assert_int_equal(stored(DTYPE_E5M2, -1e6), 0xfb);
    /* Too small: half the smallest step is the even one, zero, with its sign. */
    assert_int_equal(stored(DTYPE_F16, 0x1p-25), 0);
    assert_int_equal(stored(DTYPE_F16, nextafter(0x1p-25, 1)), 1);
    assert_int_equal(stored(DTYPE_F16, -0x1p-26), 0x8000);
    assert_int_equal(stored(DTYPE_E4M3, 0x1p-10), 0);
    assert_int_equal(stored(DTYPE_E4M3, -DBL_TRUE_MIN), 0x80);
    assert_int_equal(stored(DTYPE_BF16, DBL_TRUE_MIN), 0);
    assert_int_equal(stored(DTYPE_F16, -0.0), 0x8000);
    for (size_t t = 0; t < 4; t++)
        assert_true(isnan(value_of(small[t], stored(small[t], NAN))));
}

/* f32 to bf16 by the well-known integer rounding, over many patterns. */
TEST(bf16_against_integer_rounding)
{
    for (uint64_t k = 0; k < 200000; k++) {
        uint32_t bits = (uint32_t)hash_mix(k + 1);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value))
            continue;
        uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
        assert_int_equal(stored(DTYPE_BF16, (double)value), rounded);
    }
}

/* The compiler's own half, over many doubles of every magnitude. */
TEST(f16_against_the_compiler)
{
#ifndef __FLT16_MANT_DIG__
    skip();
#else
    for (uint64_t k = 0; k < 100000; k++) {
        uint64_t random = hash_mix(k + 1);
        double value =
            ldexp((double)(random >> 12) * 0x1p-52 + 1, (int)(random % 45) - 28) * (random & 64 ? -1 : 1);
        _Float16 half = (_Float16)value;
        uint16_t bits;
        memcpy(&bits, &half, sizeof bits);
        assert_int_equal(stored(DTYPE_F16, value), bits);
    }
#endif
}

TEST(integers_truncate_and_saturate)
{
    static const struct {
        double value;
        int64_t u8, i32, i64;
    } rows[] = {{0, 0, 0, 0},
                {1.99, 1, 1, 1},
                {-1.99, 0, -1, -1},
                {255, 255, 255, 255},
                {255.9, 255, 255, 255},
                {256, 255, 256, 256},
                {2147483646.9, 255, 2147483646, 2147483646},
                {2147483647, 255, 2147483647, 2147483647},
                {3e9, 255, INT32_MAX, 3000000000},
                {-3e9, 0, INT32_MIN, -3000000000},
                {9223372036854774784.0, 255, INT32_MAX, INT64_C(9223372036854774784)},
                {0x1p63, 255, INT32_MAX, INT64_MAX},
                {-0x1p63, 0, INT32_MIN, INT64_MIN},
                {INFINITY, 255, INT32_MAX, INT64_MAX},
                {-INFINITY, 0, INT32_MIN, INT64_MIN},
                {NAN, 0, 0, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t u8;
        int32_t i32;
        int64_t i64;
        dtype_store(DTYPE_U8, &u8, rows[i].value);
        dtype_store(DTYPE_I32, &i32, rows[i].value);
        dtype_store(DTYPE_I64, &i64, rows[i].value);
        assert_true(u8 == rows[i].u8);
        assert_true(i32 == rows[i].i32);
        assert_true(i64 == rows[i].i64);
    }
    for (int i = 0; i < 256; i++) {
        uint8_t u8 = (uint8_t)i;
        assert_true(dtype_load(DTYPE_U8, &u8) == i);
    }
    int32_t i32 = INT32_MIN;
    assert_true(dtype_load(DTYPE_I32, &i32) == -2147483648.0);
    int64_t i64 = -(INT64_C(1) << 53);
    assert_true(dtype_load(DTYPE_I64, &i64) == -9007199254740992.0);
}

/* Elements lie anywhere: loads and stores must not need alignment, nor touch a neighbour. */
TEST(unaligned_and_within_bounds)
{
    for (int i = 0; i < DTYPE_COUNT; i++) {
        unsigned char bytes[24];
        uint64_t size = dtype_size((enum dtype)i);
        memset(bytes, 0xaa, sizeof bytes);
        dtype_store((enum dtype)i, bytes + 7, 2);
        assert_true(dtype_load((enum dtype)i, bytes + 7) == 2);
        for (size_t at = 0; at < sizeof bytes; at++)
            if (at < 7 || at >= 7 + size)
                assert_int_equal(bytes[at], 0xaa);
    }
}

TEST(wide_floats)
{
    float f32;
    double f64;
    dtype_store(DTYPE_F32, &f32, 0.1);
    assert_true(f32 == 0.1f);
    assert_true(dtype_load(DTYPE_F32, &f32) == (double)0.1f);
    dtype_store(DTYPE_F32, &f32, 1 + 0x1p-24); /* a tie: to even */
    assert_true(f32 == 1);
    dtype_store(DTYPE_F32, &f32, 1e300);
    assert_true(isinf(f32));
    dtype_store(DTYPE_F64, &f64, 0.1);
    assert_true(f64 == 0.1);
    assert_true(dtype_load(DTYPE_F64, &f64) == 0.1);
}

/* Many at once are each of them: all codes of a small type and what lies between, at its edges and beyond. */
TEST(ranges_are_their_elements)
{
    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        uint64_t size = dtype_size((enum dtype)dtype);
        enum { COUNT = 4099 };
        static double values[COUNT], loaded[COUNT];
        static unsigned char range[COUNT * 8];
        for (uint64_t i = 0; i < COUNT; i++) {
            uint64_t bits = hash_mix(i);
            double spread = (double)(bits >> 11) * 0x1p-53 - 0.5;
            if (i < 5)
                values[i] = (const double[]){0, -0.0, INFINITY, -INFINITY, NAN}[i];
            else if (i % 3)
                values[i] = ldexp(spread, (int)(bits % 60) - 40);
            else if (i % 2)
                values[i] = ldexp(spread, (int)(bits % 300) - 150);
            else
                values[i] = (float)ldexp(1 + (double)(bits % 4096) / 4096, (int)(bits >> 60) - 20);
        }
        dtype_store_range((enum dtype)dtype, range, values, COUNT);
        dtype_load_range((enum dtype)dtype, range, loaded, COUNT);
        for (uint64_t i = 0; i < COUNT; i++) {
            unsigned char element[8];
            dtype_store((enum dtype)dtype, element, values[i]);
            if (dtype == DTYPE_E2M1)
                assert_int_equal(range[i / 2] >> i % 2 * 4 & 15, element[0]);
            else
                assert_memory_equal(range + i * size, element, size);
            double one = dtype_load((enum dtype)dtype, element);
            assert_true(isnan(one) ? isnan(loaded[i])
                                   : one == loaded[i] && !signbit(one) == !signbit(loaded[i]));
        }
    }
}
