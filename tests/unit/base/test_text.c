/* Growing text, and the quantities that people write. */
#include <limits.h>

#include "unit_test.h"

#include "base/hash.h"
#include "base/text.h"

TEST(growth)
{
    struct text text = {0};
    text_free(&text); /* of nothing */
    text_append(&text, "", 0);
    assert_string_equal(text.data, "");
    for (int i = 0; i < 1000; i++)
        text_add(&text, "%d,", i);
    assert_int_equal(text.length, 10 * 2 + 90 * 3 + 900 * 4);
    assert_int_equal(strlen(text.data), text.length);
    assert_true(strncmp(text.data, "0,1,2,", 6) == 0);
    size_t before = text.length;
    text_append(&text, "a\0b", 3);
    assert_int_equal(text.length, before + 3);
    assert_memory_equal(text.data + before, "a\0b\0", 4);
    text_free(&text);
    assert_null(text.data);
    assert_int_equal(text.length + text.capacity, 0);
}

TEST(bytes)
{
    static const struct {
        const char *text;
        int64_t bytes; /* -1: refused */
    } rows[] = {
        {"0", 0},
        {"1", 1},
        {"65536", 65536},
        {"64KiB", 65536},
        {"1 MiB", 1 << 20},
        {"4GiB", INT64_C(4) << 30},
        {"2TiB", INT64_C(2) << 40},
        {"1.5KiB", 1536},
        {"0.5MiB", 1 << 19},
        {"1e6", 1000000},
        {"2MB", 2000000},
        {"3kB", 3000},
        {"3KB", 3000},
        {"1GB", 1000000000},
        {"7B", 7},
        {"9223372036854775807", INT64_MAX},
        {"+5", 5},
        {"9223372036854775808", -1},
        {"8388608TiB", -1},
        {"1e300", -1},
        {"1e99999", -1},
        {"-1", -1},
        {"-1KiB", -1},
        {"1.5", -1},
        {"0.3KiB", -1},
        {"", -1},
        {" ", -1},
        {"KiB", -1},
        {"1Kib", -1},
        {"1 KiB ", -1},
        {"1KiBB", -1},
        {"1,000", -1},
        {"0x10", -1},
        {"inf", -1},
        {"nan", -1},
        {"1e", -1},
        {"..1", -1},
        {"--1", -1},
        {"1 2", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t bytes = -7;
        bool ok = text_parse_bytes(rows[i].text, &bytes);
        if (ok != (rows[i].bytes >= 0) || (ok && bytes != rows[i].bytes))
            fail_msg("'%s' gave %d, %lld", rows[i].text, ok, (long long)bytes);
    }
}

TEST(formatted_bytes_read_back)
{
    char text[64];
    int64_t back;
    text_format_bytes(65536, text, sizeof text);
    assert_string_equal(text, "64KiB");
    text_format_bytes(1000, text, sizeof text);
    assert_string_equal(text, "1000");
    text_format_bytes(0, text, sizeof text);
    assert_string_equal(text, "0");
    for (int shift = 0; shift < 63; shift++) {
        for (int64_t around = -2; around <= 2; around++) {
            int64_t value = (INT64_C(1) << shift) + around;
            if (value < 0)
                continue;
            text_format_bytes(value, text, sizeof text);
            assert_true(text_parse_bytes(text, &back));
            assert_true(back == value);
        }
    }
    text_format_bytes(INT64_MAX, text, sizeof text);
    assert_true(text_parse_bytes(text, &back) && back == INT64_MAX);
}

TEST(short_bytes)
{
    static const struct {
        int64_t bytes;
        const char *text;
    } rows[] = {
        {0, "0"},
        {9999, "9999"}, /* up to four digits are exact */
        {10000, "9.766KiB"},
        {64 << 20, "64MiB"},
        {INT64_C(81079) << 20, "79.18GiB"},
        {1589403392, "1.48GiB"},
        {(1 << 20) - 1, "1MiB"}, /* not 1024KiB */
        {-1, "-1"},
        {INT64_MAX, "8.389e+06TiB"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        text_format_bytes_short(rows[i].bytes, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

TEST(quoted_words)
{
    struct text words = {0};
    text_add_quoted(&words, "a/b-c.h5");
    text_add(&words, " ");
    text_add_quoted(&words, "it's $HOME");
    text_add(&words, " ");
    text_add_quoted(&words, "");
    assert_string_equal(words.data, "a/b-c.h5 'it'\\''s $HOME' ''");
    text_free(&words);
}

TEST(integers)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } rows[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"42", true, 42},
        {"-42", true, -42},
        {"+42", true, 42},
        {"1e6", true, 1000000},
        {"2.5e1", true, 25},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"2.5", false, 0},
        {"1KiB", false, 0},
        {"", false, 0},
        {"0x1F", false, 0},
        {"12 ", false, 0},
        {"true", false, 0},
        {"1_000", false, 0},
        {"infinity", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t value = -7;
        bool ok = text_parse_integer(rows[i].text, &value);
        if (ok != rows[i].ok || (ok && value != rows[i].value))
            fail_msg("'%s' gave %d, %lld", rows[i].text, ok, (long long)value);
    }
}

TEST(fractions_and_durations)
{
    static const struct {
        const char *text;
        double value; /* NaN: refused */
    } fractions[] = {{"0.5%", 0.005}, {"0.005", 0.005}, {"100 %", 1}, {"0", 0},       {"1e-3", 1e-3},
                     {"-1%", NAN},    {"1%%", NAN},     {"%", NAN},   {"nan", NAN},   {"inf", NAN},
                     {"", NAN},       {"1e999", NAN},   {"5 p", NAN}, {"0.5%x", NAN}, {"5", NAN},
                     {"1", NAN},      {"500%", 5}},
      seconds[] = {
          {"2s", 2},          {"500ms", 0.5}, {"10us", 1e-5},        {"3ns", 3e-9},    {"5min", 300},
          {"5m", 300},        {"6h", 21600},  {"1d", 86400},         {"90", 90},       {"1.5 s", 1.5},
          {"01:30:00", 5400}, {"0:00:07", 7}, {"100:00:00", 360000}, {"1:60:00", NAN}, {"1:00:60", NAN},
          {"1:00", NAN},      {"-1s", NAN},   {"-1:00:00", NAN},     {"2 sec", NAN},   {"s", NAN},
          {"", NAN},          {"nan", NAN},   {"1:00:00x", NAN},     {"1e400h", NAN},  {"infs", NAN}};
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        double value = -7;
        bool ok = text_parse_fraction(fractions[i].text, &value);
        if (ok == isnan(fractions[i].value) || (ok && fabs(value - fractions[i].value) > 1e-15))
            fail_msg("'%s' gave %d, %g", fractions[i].text, ok, value);
    }
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        double value = -7;
        bool ok = text_parse_seconds(seconds[i].text, &value);
        if (ok == isnan(seconds[i].value) || (ok && fabs(value - seconds[i].value) > 1e-12))
            fail_msg("'%s' gave %d, %g", seconds[i].text, ok, value);
    }
}

TEST(seconds_for_people)
{
    static const struct {
        double seconds;
        const char *text;
    } rows[] = {{0.0000123, "12.3us"},
                {0.0456, "45.6ms"},
                {1.5, "1.5s"},
                {95, "1min 35s"},
                {7260, "2h 1min"},
                {NAN, "?"},
                {INFINITY, "?"},
                {-1, "?"},
                {0, "0us"},
                {59.4, "59.4s"},
                {3599, "59min 59s"},
                {3600, "1h 0min"},
                {0.9998e-3, "1ms"},
                {0.9994e-3, "999us"},
                {0.9996, "1s"},
                {59.96, "1min 0s"},
                {3599.96, "1h 0min"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];
        text_format_seconds(rows[i].seconds, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
    char small[4];
    text_format_seconds(7260, small, sizeof small); /* cut, not overrun */
    assert_string_equal(small, "2h ");
}

TEST(nearest)
{
    static const char *const names[] = {"size", "dtype", "stride", "vector", "offset", "gridstride", NULL};
    assert_string_equal(text_nearest("strid", names), "stride");
    assert_string_equal(text_nearest("stirde", names), "stride");
    assert_string_equal(text_nearest("Vector", names), "vector");
    assert_string_equal(text_nearest("vectr", names), "vector");
    assert_string_equal(text_nearest("dtypes", names), "dtype");
    assert_string_equal(text_nearest("off", names), "offset");
    static const char *const sides[] = {"variant", "rows", "columns", "dtype", NULL};
    assert_string_equal(text_nearest("cols", sides), "columns"); /* though rows is one letter away */
    assert_string_equal(text_nearest("row", sides), "rows");
    assert_string_equal(text_nearest("dtp", sides), "dtype");
    static const char *const long_names[] = {"sm__inst_executed_pipe_size.sum", NULL};
    assert_null(text_nearest("size", long_names));
    assert_null(text_nearest("zebra crossing", names));
    assert_null(text_nearest("", names));
    char long_name[5000];
    memset(long_name, 'x', sizeof long_name);
    long_name[4999] = '\0';
    assert_null(text_nearest(long_name, names));
    static const char *const none[] = {NULL};
    assert_null(text_nearest("size", none));
}

/* Whatever the bytes, parsers answer and never read past the end (the sanitizer build watches). */
TEST(rubbish)
{
    static const char alphabet[] = "0123456789.eE+-xKMGTiB%smunhd: \xff";
    uint64_t random = 1;
    for (int round = 0; round < 20000; round++) {
        size_t length = hash_mix(random++) % 12;
        char *text = malloc(length + 1);
        for (size_t i = 0; i < length; i++)
            text[i] = alphabet[hash_mix(random++) % (sizeof alphabet - 1)];
        text[length] = '\0';
        int64_t whole = 0;
        double real = 0;
        if (text_parse_bytes(text, &whole))
            assert_true(whole >= 0);
        text_parse_integer(text, &whole);
        if (text_parse_fraction(text, &real))
            assert_true(isfinite(real) && real >= 0);
        if (text_parse_seconds(text, &real))
            assert_true(isfinite(real) && real >= 0);
        free(text);
    }
}
