/* The rows that a figure's directives select, their division into curves, and the axes that are pinned to one value. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/column_name.h"
#include "figure/collect.h"

enum { KIB = 1024 };

static const struct {
    const char *kernel, *status, *variant, *source;
    int64_t repeat, stride, size;
} rows[] = {
    {"copy", "ok", "load", "A", 0, 1, 64 * KIB}, /* row 0: as many strides as 128 KiB has */
    {"copy", "ok", "load", "A", 0, 2, 64 * KIB},
    {"copy", "ok", "load", "A", 0, 4, 64 * KIB},
    {"copy", "ok", "load", "A", 0, 4, 128 * KIB}, /* row 3: descending strides */
    {"copy", "ok", "load", "A", 0, 2, 128 * KIB},
    {"copy", "ok", "load", "A", 0, 1, 128 * KIB},
    {"copy", "ok", "store", "A", 0, 4, 128 * KIB}, /* row 6 */
    {"copy", "ok", "store", "A", 0, 1, 128 * KIB},
    {"copy", "failed", "store", "A", 0, 2, 128 * KIB},
    {"copy", "ok", "load", "A", 1, 1, 128 * KIB}, /* row 9: a canary's repetition */
    {"copy", "ok", "load", "A", 0, 1, 256 * KIB}, /* row 10: the largest size, but fewer strides */
    {"copy", "ok", "load", "A", 0, 2, 256 * KIB},
    {"copy", "ok", "memcpy", "A", 0, 1, 64 * KIB}, /* row 12: of one size only */
    {"copy", "ok", "memcpy", "A", 0, 2, 64 * KIB},
    {"reduce", "ok", "load", "A", 0, 1, 512 * KIB}, /* row 14 */
    {"copy", "ok", "load", "B", 0, 1, 64 * KIB},    /* row 15: another device */
    {"copy", "ok", "load", "B", 0, 2, 64 * KIB},
};
enum { ROWS_ON_A = 15, ROWS = 17 };

static struct merge_group groups[] = {{.label = "A"}, {.label = "B"}};

static struct merged merged_of(size_t count)
{
    struct merged merged = {.all = {.results = frame_new(), .devices = frame_new()},
                            .group = groups,
                            .groups = count > ROWS_ON_A ? 2 : 1};
    struct frame *results = &merged.all.results;
    const int kernel = frame_add_column(results, COLUMN(kernel), COLUMN_TEXT, ROLE_IDENTITY, "", ""),
              status = frame_add_column(results, COLUMN(status), COLUMN_TEXT, ROLE_STATUS, "", ""),
              repeat = frame_add_column(results, COLUMN(repeat), COLUMN_INTEGER, ROLE_IDENTITY, "", ""),
              variant = frame_add_column(results, "variant", COLUMN_TEXT, ROLE_AXIS, "", ""),
              stride = frame_add_column(results, "stride", COLUMN_INTEGER, ROLE_AXIS, "accesses", ""),
              size = frame_add_column(results, "size", COLUMN_INTEGER, ROLE_AXIS, "bytes", ""),
              rate = frame_add_column(results, COLUMN(bandwidth), COLUMN_REAL, ROLE_RATE, "bytes/s", ""),
              source = frame_add_column(results, MERGE_GROUP, COLUMN_TEXT, ROLE_IDENTITY, "", "");
    for (size_t row = 0; row < count; row++) {
        frame_add_row(results);
        frame_put_text(results, row, kernel, rows[row].kernel);
        frame_put_text(results, row, status, rows[row].status);
        frame_put_integer(results, row, repeat, rows[row].repeat);
        frame_put_text(results, row, variant, rows[row].variant);
        frame_put_integer(results, row, stride, rows[row].stride);
        frame_put_integer(results, row, size, rows[row].size);
        frame_put_real(results, row, rate, 1e12);
        frame_put_text(results, row, source, rows[row].source);
    }
    return merged;
}

static void merged_free(struct merged *merged)
{
    frame_free(&merged->all.results);
    frame_free(&merged->all.devices);
}

static const struct figure bandwidth_by_stride = {
    .title = "", .kernel = "copy", .x = "stride", .y = "bandwidth", .series = {"variant"}};
static const char *const no_filter[] = {NULL};

/* Collect, and compare: `conditions`, and of each curve "KEY: rows;". */
static void check(const struct figure *figure, const char *const *filter, size_t count,
                  const char *conditions, const char *curves)
{
    struct merged merged = merged_of(count);
    struct figure_data data;
    struct error why = {0};
    struct text found = {0};
    if (figure_collect(figure, filter, &merged, &data, &why) != 1)
        fail_msg("%s", why.text);
    for (int s = 0; s < data.count; s++) {
        const struct series *series = &data.series[s];
        text_add(&found, "%s%s %s:", s ? "; " : "", groups[series->group].label, series->key);
        for (size_t i = 0; i < series->view.rows; i++)
            text_add(&found, " %zu", series->view.row[i]);
    }
    assert_string_equal(found.data, curves);
    assert_string_equal(data.conditions.length ? data.conditions.data : "", conditions);
    text_free(&found);
    figure_data_free(&data);
    merged_free(&merged);
}

static void check_refused(const struct figure *figure, const char *const *filter, const char *reason)
{
    struct merged merged = merged_of(ROWS_ON_A);
    struct figure_data data;
    struct error why = {0};
    assert_int_equal(figure_collect(figure, filter, &merged, &data, &why), 0);
    assert_string_equal(why.text, reason);
    merged_free(&merged);
}

/* Of 64, 128 and 256 KiB, the last has fewer strides, and 128 KiB is larger than 64. Rows that were not measured, repetitions
 * and other kernels are left out; curves ascend along x. */
static void test_pin(void **state)
{
    (void)state;
    check(&bandwidth_by_stride, no_filter, ROWS_ON_A, "size 128KiB", "A load: 5 4 3; A store: 7 6");
}

/* The strides of both devices count: 3 + 2 at 64 KiB, 3 at 128 KiB. */
static void test_pin_with_two_devices(void **state)
{
    (void)state;
    check(&bandwidth_by_stride, no_filter, ROWS, "size 64KiB",
          "A load: 0 1 2; B load: 15 16; A memcpy: 12 13");
}

/* Rows of the baseline stay, whatever value the axis is pinned to. */
static void test_baseline(void **state)
{
    struct figure figure = bandwidth_by_stride;
    (void)state;
    figure.baseline = "variant=memcpy";
    check(&figure, no_filter, ROWS_ON_A, "size 128KiB", "A load: 5 4 3; A memcpy: 12 13; A store: 7 6");
}

static void test_conditions(void **state)
{
    static const char *const filter[] = {"size=256KiB", NULL};
    struct figure figure = bandwidth_by_stride;
    (void)state;
    check(&figure, filter, ROWS_ON_A, "", "A load: 10 11"); /* one value: nothing to pin */
    figure.state[0] = "size";
    check(&figure, filter, ROWS_ON_A, "size 256KiB", "A load: 10 11");
    figure.where[0] = "size=64KiB";
    figure.where[1] = "variant=load";
    check(&figure, no_filter, ROWS_ON_A, "size 64KiB", "A load: 0 1 2");
}

/* Axes of the series are not pinned: each value is a curve. */
static void test_series(void **state)
{
    struct figure figure = bandwidth_by_stride;
    (void)state;
    figure.where[0] = "variant=load";
    figure.series[1] = "size";
    check(&figure, no_filter, ROWS_ON_A, "",
          "A load 64KiB: 0 1 2; A load 128KiB: 5 4 3; A load 256KiB: 10 11");
}

static void test_refused(void **state)
{
    static const char *const filter[] = {"size=1KiB", NULL};
    struct figure figure = bandwidth_by_stride;
    (void)state;
    check_refused(&figure, filter, "no point of it matches --where");
    figure.where[0] = "stride=1";
    check_refused(&figure, no_filter, "fewer than two values of stride were measured");
    figure.where[0] = "size=1KiB";
    check_refused(&figure, no_filter, "no measured point has size=1KiB");
    figure = bandwidth_by_stride;
    figure.contrast = "size";
    check_refused(&figure, no_filter, "fewer than two values of size were measured");
    figure.series[0] = "tile";
    check_refused(&figure, no_filter, "no file has the column tile");
    figure.series[0] = NULL;
    figure.kernel = "transpose";
    check_refused(&figure, no_filter, "no point of transpose was measured");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pin),      cmocka_unit_test(test_pin_with_two_devices),
        cmocka_unit_test(test_baseline), cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_series),   cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
