/* Axes: values as job files write them, errors that name what was expected, and what is written reads back.
 */
#include "unit_test.h"

#include "core/axis.h"

static const char *const flavours[] = {"load", "store", "gridstride", NULL};
static const struct axis size_axis = AXIS_SIZE("1MiB"), dtype_axis = AXIS_DTYPE("f32"),
                         vector_axis = AXIS_VECTOR("1"), arch_axis = AXIS_ARCHITECTURE,
                         cache_axis = AXIS_CACHE, word_axis = AXIS_VARIANT(flavours, "load"),
                         offset_axis = AXIS_OFFSET("0"), carveout_axis = AXIS_CARVEOUT("default");

static void assert_reads(const struct axis *axis, const char *text, int64_t expected)
{
    struct error error = {0};
    int64_t value = -99;
    if (axis_parse(axis, text, &value, &error) != 0)
        fail_msg("%s: '%s': %s", axis->name, text, error.text);
    assert_true(value == expected);
    assert_int_equal(axis_check(axis, value, &error), 0);
    char written[AXIS_TEXT_SIZE];
    int64_t back = -98;
    axis_format(axis, value, written);
    assert_int_equal(axis_parse(axis, written, &back, &error), 0);
    assert_true(back == value);
}

TEST(values)
{
    assert_reads(&size_axis, "64KiB", 65536);
    assert_reads(&size_axis, "1", 1);
    assert_reads(&size_axis, "16TiB", INT64_C(1) << 44);
    assert_reads(&vector_axis, "32", 32);
    assert_reads(&offset_axis, "0", 0);
    assert_reads(&word_axis, "gridstride", 2);
    assert_reads(&cache_axis, "rotate", CACHE_ROTATE);
    assert_reads(&carveout_axis, "default", 0);
    assert_reads(&carveout_axis, "50", 3);
    assert_reads(&arch_axis, "native", ARCH_NATIVE);
    assert_reads(&arch_axis, "sm_100a", 10001);
    for (int i = 0; i < DTYPE_COUNT; i++)
        assert_reads(&dtype_axis, dtype_words[i], i);
}

TEST(long_rubbish_is_cut)
{
    char text[3000];
    memset(text, 'q', sizeof text);
    text[sizeof text - 1] = '\0';
    const struct axis *all[] = {&size_axis, &vector_axis, &word_axis, &arch_axis};
    for (int i = 0; i < 4; i++) {
        struct error error = {0};
        int64_t value;
        assert_int_equal(axis_parse(all[i], text, &value, &error), -1);
        assert_true(strlen(error.text) < 250);
    }
}

TEST(checks_computed_values)
{
    struct error error = {0};
    assert_int_equal(axis_check(&vector_axis, 32, &error), 0);
    assert_int_equal(axis_check(&vector_axis, 64, &error), -1);
    assert_non_null(strstr(error.text, "vector of 64 is out of range; expected 1 to 32"));
    assert_int_equal(axis_check(&size_axis, INT64_MIN, &error), -1);
    assert_int_equal(axis_check(&size_axis, INT64_MAX, &error), -1);
}

/* The defaults that the shared tables name are values of their axes. */
TEST(standards_parse)
{
    const struct axis *all[] = {&size_axis,  &dtype_axis, &vector_axis, &arch_axis,
                                &cache_axis, &word_axis,  &offset_axis, &carveout_axis};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct error error = {0};
        int64_t value;
        assert_int_equal(axis_parse(all[i], all[i]->standard, &value, &error), 0);
    }
    assert_string_equal(cache_words[CACHE_COLD], "cold");
    assert_string_equal(cache_words[CACHE_HOT], "hot");
    assert_string_equal(cache_words[CACHE_ROTATE], "rotate");
}
