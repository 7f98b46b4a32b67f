/* view.h - which rows and columns of a results file a command shows. */
#pragma once

#include "core/frame.h"
#include "store/store.h"

/* A column of /results, or, named "device.NAME", a column of /devices looked up through the row's device. */
struct view_column {
    char name[144]; /* as it is printed */
    int index;
    bool of_device;
    const char *const *words; /* the order of a text column's values: u8 before f16; NULL: alphabetical */
};

/* Start from view_new; view_free releases it. The dataset must outlive it. */
struct view {
    const struct dataset *dataset;
    size_t *row; /* rows of dataset->results, in the order they are shown */
    size_t rows;
    struct view_column *column;
    int columns;
};

/* All rows, no columns. */
struct view view_new(const struct dataset *dataset);
/* The same rows, no columns. */
void view_free(struct view *view);

/* Keep the rows for which `keep` returns true. */
void view_keep(struct view *view, bool (*keep)(const struct view *, size_t row, void *context),
               void *context);

/* Keep first measurements, without the canaries' repetitions. Files without the column `repeat` have no repetitions. */
void view_keep_points(struct view *view);

/* Add a column by name. ERROR_USAGE with the nearest name. */
int view_add_column(struct view *view, const char *name, struct error *error);

/* Find a column of the file without showing it. */
int view_find_column(const struct dataset *dataset, const char *name, struct view_column *column,
                     struct error *error);

/* Sort by a column. The sort is stable. Missing values come first, or last if descending. */
void view_sort(struct view *view, const struct view_column *column, bool descending);

/* What a column holds: its type, unit and meaning. */
const struct column *view_header(const struct dataset *dataset, const struct view_column *column);

/* A cell of the row's device; missing when the row met none. */
union cell view_device_cell(const struct dataset *dataset, size_t row, const struct view_column *column);

/* The cell at a row of dataset->results; missing when the row met no device and the column is a device's. */
static inline union cell view_cell(const struct dataset *dataset, size_t row,
                                   const struct view_column *column)
{
    return column->of_device ? view_device_cell(dataset, row, column)
                             : *frame_cell(&dataset->results, row, column->index);
}

/* -1, 0 or 1; missing comes first. */
int view_compare(const struct dataset *dataset, const struct view_column *column, size_t row, size_t other);

/* How many different values the view's rows have in a column; stops counting at `most`. */
size_t view_distinct(const struct view *view, const struct view_column *column, size_t most);

/* Whether a column of /results is an axis, by its role. */
bool view_is_axis(const struct dataset *dataset, int index);
