/* Axes of charts: the kind that values ask for, where values lie, and ticks that do not run into each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "figure/scale.h"
#include "figure/style.h"

static struct font *font;

static int open_font(void **state)
{
    struct error error;
    (void)state;
    font = font_open(&error);
    if (!font)
        fprintf(stderr, "%s\n", error.text);
    return font ? 0 : -1;
}

static int close_font(void **state)
{
    (void)state;
    font_close(font);
    return 0;
}

static void test_choose(void **state)
{
    static const struct {
        double value[4];
        size_t count;
        enum scale_kind kind;
    } rows[] = {
        {{1, 2, 4, 8}, 4, SCALE_LOG2},      {{1, 2}, 2, SCALE_LINEAR},       {{3, 6, 9}, 3, SCALE_LINEAR},
        {{3, 30, 100}, 3, SCALE_LOG2},      {{3, 30, 3000}, 3, SCALE_LOG10}, {{0, 1, 1024}, 3, SCALE_LINEAR},
        {{-4, 4, 4096}, 3, SCALE_LINEAR},   {{0.25, 0.5, 1}, 3, SCALE_LOG2}, {{5}, 1, SCALE_LINEAR},
        {{0.03, 0.3, 1.5}, 3, SCALE_LOG10},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (scale_choose(rows[i].value, rows[i].count) != rows[i].kind)
            fail_msg("row %zu is not %s", i, scale_words[rows[i].kind]);
}

static void test_place(void **state)
{
    struct scale linear = {.kind = SCALE_LINEAR, .low = 10, .high = 30},
                 log = {.kind = SCALE_LOG2, .low = 1, .high = 16},
                 with_zero = {.kind = SCALE_LOG2_1, .low = 0, .high = 7};
    (void)state;
    assert_float_equal(scale_position(&linear, 15), 0.25, 1e-12);
    assert_float_equal(scale_position(&log, 4), 0.5, 1e-12);
    assert_float_equal(scale_position(&with_zero, 0), 0, 1e-12);
    assert_float_equal(scale_position(&with_zero, 1), 1 / 3.0, 1e-12);
    assert_float_equal(scale_coordinate(&with_zero, 3), 2, 1e-12);
    assert_float_equal(scale_coordinate(&log, 3), 3, 1e-12); /* gnuplot takes the logarithm */
}

static void test_widen(void **state)
{
    struct scale log = {.kind = SCALE_LOG2, .low = 4, .high = 64},
                 one = {.kind = SCALE_LINEAR, .low = 8, .high = 8};
    (void)state;
    scale_widen(&log, 0.25, 0.5); /* of four octaves */
    assert_float_equal(log.low, 2, 1e-9);
    assert_float_equal(log.high, 256, 1e-9);
    scale_widen(&one, 0.5, 0.5); /* a single value gets a range around it */
    assert_true(one.low < 8 && one.high > 8);
}

/* Neighbouring labels, centred at their ticks, do not touch; all ticks lie on the axis. */
static void check_ticks(const struct scale *scale, double length)
{
    assert_true(scale->ticks > 0);
    for (int i = 0; i < scale->ticks; i++) {
        double place = scale_position(scale, scale->tick[i].at) * length;
        assert_true(place > -1e-6 && place < length + 1e-6);
        if (i == 0)
            continue;
        double before = scale_position(scale, scale->tick[i - 1].at) * length;
        double room =
            (font_width(font, scale->tick[i - 1].label, 7) + font_width(font, scale->tick[i].label, 7)) / 2;
        if (place - before < room)
            fail_msg("%.2f in: '%s' and '%s' overlap", length, scale->tick[i - 1].label,
                     scale->tick[i].label);
    }
}

static void test_ticks_have_room(void **state)
{
    double value[20];
    (void)state;
    for (int i = 0; i < 20; i++)
        value[i] = exp2(10 + i); /* 1KiB to 512MiB */
    /* The shortest axis has room for one label only. */
    for (double length = 0.3; length < 6; length += 0.3) {
        struct scale bytes = {.kind = SCALE_LOG2, .bytes = true, .low = value[0], .high = value[19]};
        struct scale round = {.kind = SCALE_LINEAR, .low = 0, .high = 123456};
        scale_tick_along(&bytes, value, 20, length, 1, 1, font, 7);
        check_ticks(&bytes, length);
        scale_tick_along(&round, NULL, 0, length, 1, 1, font, 7);
        check_ticks(&round, length);
        scale_free(&bytes);
        scale_free(&round);
        assert_null(bytes.tick);
    }
}

static void test_labels(void **state)
{
    static const double value[] = {65536, 1048576};
    static const char *const names[] = {"first", "second, which is longer"};
    struct scale bytes = {.kind = SCALE_LOG2, .bytes = true, .low = 65536, .high = 1048576},
                 named = {.kind = SCALE_NAMES};
    (void)state;
    scale_tick_along(&bytes, value, 2, 5, 1, 1, font, 7);
    assert_int_equal(bytes.ticks, 2);
    assert_string_equal(bytes.tick[0].label, "64KiB");
    assert_string_equal(bytes.tick[1].label, "1MiB");
    scale_name(&named, names, 2);
    assert_int_equal(named.ticks, 2);
    assert_float_equal(named.tick[1].at, 1, 0);
    assert_float_equal(scale_label_width(&named, font, 7), font_width(font, names[1], 7), 1e-9);
    scale_free(&bytes);
    scale_free(&named);
}

/* Measured values are no ticks: round numbers are. Short values are. */
static void test_ticks_are_short(void **state)
{
    static const double measured[] = {6.485753813, 12.97150763, 25.94301525},
                        short_ones[] = {0.5, 1.25, 6144};
    struct scale axis = {.kind = SCALE_LOG10, .low = 6, .high = 30},
                 other = {.kind = SCALE_LOG10, .low = 0.5, .high = 6144};
    (void)state;
    scale_tick_along(&axis, measured, 3, 5, 1, 1, font, 7);
    assert_true(axis.ticks > 1);
    for (int i = 0; i < axis.ticks; i++)
        assert_true(strlen(axis.tick[i].label) <= 4);
    scale_tick_along(&other, short_ones, 3, 5, 1, 1, font, 7);
    assert_int_equal(other.ticks, 3);
    assert_string_equal(other.tick[1].label, "1.25");
    scale_free(&axis);
    scale_free(&other);
}

/* A low axis has three ticks or more: one or two do not tell its scale. */
static void test_ticks_of_a_low_axis(void **state)
{
    struct scale axis = {.kind = SCALE_LINEAR, .low = -0.14, .high = 0.03};
    (void)state;
    scale_tick_up(&axis, 0.65, font, 7);
    assert_true(axis.ticks >= 3);
    scale_free(&axis);
}

/* A logarithmic axis of about a decade has round ticks all along it, not steps of a linear one. */
static void test_ticks_of_a_decade(void **state)
{
    static const char *const labels[] = {"500", "1000", "2000", "5000"};
    struct scale axis = {.kind = SCALE_LOG10, .low = 400, .high = 5200};
    (void)state;
    scale_tick_up(&axis, 1.3, font, 7);
    assert_int_equal(axis.ticks, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(axis.tick[i].label, labels[i]);
    scale_free(&axis);
}

/* In one colour, only the first word of the second axis has a solid line. */
static void test_one_solid_line(void **state)
{
    (void)state;
    assert_int_equal(style_of(3, 0).dash, 0);
    for (int second = 1; second < 3 * STYLE_DASHES; second++)
        assert_true(style_of(3, second).dash > 0 && style_of(3, second).dash < STYLE_DASHES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choose),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_widen),
        cmocka_unit_test(test_ticks_have_room),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_ticks_are_short),
        cmocka_unit_test(test_ticks_of_a_decade),
        cmocka_unit_test(test_ticks_of_a_low_axis),
        cmocka_unit_test(test_one_solid_line),
    };
    return cmocka_run_group_tests(tests, open_font, close_font);
}
