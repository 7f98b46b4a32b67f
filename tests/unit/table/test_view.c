/* Views: order, missing values, columns of devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "table/columns.h"
#include "view_fixture.h"

static struct view_column column_of(const struct dataset *dataset, const char *name)
{
    struct view_column column;
    struct error error;
    assert_int_equal(view_find_column(dataset, name, &column, &error), 0);
    return column;
}

static void assert_order(const char *name, bool descending, const size_t expected[5])
{
    struct dataset dataset = fixture_dataset();
    struct view view = view_new(&dataset);
    struct view_column column = column_of(&dataset, name);
    view_sort(&view, &column, descending);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(view.row[i], expected[i]);
    view_free(&view);
    fixture_free(&dataset);
}

/* Missing values come first, or, descending, last; equal rows keep their order either way. */
static void test_sort(void **state)
{
    (void)state;
    assert_order("stride", false, (const size_t[]){1, 2, 4, 0, 3});
    assert_order("stride", true, (const size_t[]){0, 2, 4, 1, 3});
    assert_order("time_median", false, (const size_t[]){0, 4, 1, 2, 3});
    assert_order("time_median", true, (const size_t[]){1, 4, 0, 2, 3});
    assert_order("status", false, (const size_t[]){0, 1, 4, 2, 3}); /* ok before unsupported before failed */
    assert_order("dtype", false,
                 (const size_t[]){1, 0, 2, 4, 3}); /* u8 before f16 before f64, as the axis has them */
    assert_order("kernel", true, (const size_t[]){3, 4, 0, 1, 2});
    assert_order("device.name", false, (const size_t[]){0, 3, 4, 1, 2}); /* row 2 met no device */
}

static void test_cells(void **state)
{
    (void)state;
    struct dataset dataset = fixture_dataset();
    struct view_column name = column_of(&dataset, "device.name"),
                       peak = column_of(&dataset, "device.peak_copy");
    assert_string_equal(view_cell(&dataset, 1, &name).text, "second_device");
    assert_true(view_cell(&dataset, 4, &peak).real == 2e12);
    assert_true(frame_is_missing(view_header(&dataset, &name), view_cell(&dataset, 2, &name)));
    assert_true(frame_is_missing(view_header(&dataset, &peak), view_cell(&dataset, 2, &peak)));
    frame_put_integer(&dataset.results, 4, frame_find(&dataset.results, COLUMN(device)),
                      2); /* no such device */
    assert_true(isnan(view_cell(&dataset, 4, &peak).real));
    fixture_free(&dataset);
}

static void test_distinct(void **state)
{
    (void)state;
    struct dataset dataset = fixture_dataset();
    struct view view = view_new(&dataset);
    struct view_column stride = column_of(&dataset, "stride"), time = column_of(&dataset, "time_median");
    assert_int_equal(view_distinct(&view, &stride, 10), 4); /* a missing value is one of them */
    assert_int_equal(view_distinct(&view, &stride, 2), 2);
    assert_int_equal(view_distinct(&view, &time, 10), 4); /* missing reals equal each other */
    view_free(&view);
    fixture_free(&dataset);
}

/* Unasked: the kernel, the axes that vary among the rows, what became of the point, and its headline figures. */
static void test_chosen_columns(void **state)
{
    (void)state;
    static const char *const expected[] = {"kernel",    "dtype",         "stride",
                                           "size",      "status",        "time_median",
                                           "bandwidth", "bandwidth_low", "bandwidth_high"};
    struct dataset dataset = fixture_dataset();
    struct view view = view_new(&dataset);
    struct error error;
    assert_int_equal(columns_choose(&view, NULL, &error), 0);
    assert_int_equal(view.columns, 9);
    for (int i = 0; i < view.columns; i++)
        assert_string_equal(view.column[i].name, expected[i]);
    assert_int_not_equal(columns_choose(&view, "kernel,strid", &error), 0);
    assert_non_null(strstr(error.text, "did you mean 'stride'?"));
    assert_int_not_equal(columns_limit_rows(&view, "-1", &error), 0);
    assert_int_equal(columns_limit_rows(&view, "2", &error), 0);
    assert_int_equal(view.rows, 2);
    view_free(&view);
    fixture_free(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sort), cmocka_unit_test(test_cells),
                                       cmocka_unit_test(test_distinct),
                                       cmocka_unit_test(test_chosen_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
