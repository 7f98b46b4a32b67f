/* Views: order, missing values, columns of devices. */
#include "unit_test.h"

#include "table/table.h"

#include "view_fixture.h"

static struct view_column column_of(const struct dataset *dataset, const char *name)
{
    struct view_column column;
    struct error error;
    assert_int_equal(view_find(dataset, name, &column, &error), 0);
    return column;
}

static void assert_order(const char *name, bool descending, const size_t expected[5])
{
    struct dataset dataset = fixture_dataset();
    struct view view = view_new(&dataset, true);
    struct view_column column = column_of(&dataset, name);
    column.descending = descending;
    view_sort(&view, &column, 1);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(view.row[i], expected[i]);
    view_free(&view);
    fixture_free(&dataset);
}

/* Missing values come last in both orders; equal rows have the order of the file. */
TEST(sort)
{
    assert_order("stride", false, (const size_t[]){1, 2, 4, 0, 3});
    assert_order("stride", true, (const size_t[]){0, 2, 4, 1, 3});
    assert_order("time_median", false, (const size_t[]){0, 4, 1, 2, 3});
    assert_order("time_median", true, (const size_t[]){1, 4, 0, 2, 3});
    assert_order("status", false, (const size_t[]){3, 0, 1, 4, 2});
    assert_order("dtype", false, (const size_t[]){0, 2, 4, 1, 3});
    assert_order("kernel", true, (const size_t[]){3, 4, 0, 1, 2});
    assert_order("device.name", false, (const size_t[]){0, 3, 4, 1, 2}); /* row 2 met no device */
}

TEST(cells)
{
    struct dataset dataset = fixture_dataset();
    struct view_column name = column_of(&dataset, "device.name"),
                       peak = column_of(&dataset, "device.peak_copy");
    assert_string_equal(view_cell(&dataset, 1, &name).text, "second_device");
    assert_true(view_cell(&dataset, 4, &peak).real == 2e12);
    assert_true(frame_is_missing(name.header, view_cell(&dataset, 2, &name)));
    assert_true(frame_is_missing(peak.header, view_cell(&dataset, 2, &peak)));
    frame_put_integer(&dataset.results, 4, frame_find(&dataset.results, COLUMN(device)),
                      2); /* no such device */
    assert_true(isnan(view_cell(&dataset, 4, &peak).real));
    fixture_free(&dataset);
}
