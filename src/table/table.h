/* table.h - rows and columns of a results file: which ones a command shows, in which order, and printing
 * them. */
#pragma once

#include <stdio.h>

#include "core/frame.h"
#include "store/store.h"

#define DEVICE_PREFIX "device."

/* A column of /results, or, named "device.NAME", a column of /devices looked up through the row's device. */
struct view_column {
    const struct column *header; /* type, unit and meaning; a device's column is named without the prefix */
    int index;
    bool of_device;
    bool descending; /* where it is sorted by */
};

/* Start from view_new; view_free releases it. The dataset must outlive it, and get no columns meanwhile. */
struct view {
    const struct dataset *dataset;
    size_t *row; /* rows of dataset->results, in the order they are shown */
    size_t rows;
    struct view_column *column;
    int columns;
};

/* All rows, or only those of points, without the repetitions of canaries; no columns. */
struct view view_new(const struct dataset *dataset, bool canaries);
void view_free(struct view *view);

/* Keep the rows for which `keep` returns true. */
void view_keep(struct view *view, bool (*keep)(const struct view *, size_t row, void *context),
               void *context);

/* Find a column without showing it. ERROR_USAGE with the nearest name. */
int view_find(const struct dataset *dataset, const char *name, struct view_column *column,
              struct error *error);

/* The columns of a list "NAME,-NAME", which the caller frees, and how many; -1 with ERROR_USAGE, which names
 * `option`. */
int view_find_all(const struct dataset *dataset, const char *option, const char *list,
                  struct view_column **columns, struct error *error);

/* Show a column of /results, unless it is missing or shown already. */
void view_show(struct view *view, const char *name);

/* Order the rows by the first column, equal ones by the next, at last as in the file. Missing values come
 * last in either direction. */
void view_sort(struct view *view, const struct view_column *columns, int count);

/* The cell at a row of dataset->results; missing when the row met no device and the column is a device's. */
union cell view_cell(const struct dataset *dataset, size_t row, const struct view_column *column);

/* -1, 0 or 1; 2 if just one of them is missing. */
int view_compare_cells(const struct view_column *column, union cell a, union cell b);
int view_compare(const struct dataset *dataset, const struct view_column *column, size_t row, size_t other);

/* ---- Rows ---- */

/* The point that a row of /results is of. False if this build lacks the kernel or a value of its axes. */
bool row_point(const struct frame *results, size_t row, struct point *point);

/* Keep the rows of the view that meet all conditions; those with = on one column are alternatives, so that
 * stride=1 and stride=2 keep both. ERROR_USAGE, with the nearest name, for an unknown column or a value that
 * the column cannot have. A condition that no row meets is no error. */
int where_keep(struct view *view, const char *const *conditions, int count, struct error *error);

/* The column of a row's own rate: latency_p50 where the kernel counts the cycles of dependent accesses (least
 * is best), flop_rate where its roof is one of arithmetic, else bandwidth. NULL: the row has no rate. */
const char *top_own_rate(const struct dataset *dataset, size_t row);

/* Keep the best `most` points of each kernel that are ok, by their own rates, best first; kernels are in
 * alphabetical order. `per`: columns "NAME,NAME", of whose values each has its best, or NULL. ERROR_USAGE. */
int top_keep(struct view *view, const char *per, size_t most, struct error *error);

/* ---- Columns ---- */

/* Show "NAME,NAME" or "all". NULL: the kernel, the axes that vary, the status and the headline figures. An
 * unknown name is ERROR_USAGE with the nearest name. */
int columns_choose(struct view *view, const char *names, struct error *error);

/* ---- Printing ---- */

enum print_format { PRINT_TEXT, PRINT_TSV, PRINT_CSV, PRINT_JSON };

/* The words of --format, in the order of the enumerators; NULL-terminated. */
extern const char *const print_formats[];

/* The format that a word of print_formats names; NULL: text if stdout is a terminal, else tsv. */
enum print_format print_format_named(const char *word);

/* A cell as people read it (human.c): 12.3us, 64MiB, 4290 GB/s, 93.1 %; a dash when missing. Bytes of an axis
 * are exact, others have up to four digits. Texts are cut to `size`. */
void human_cell(const struct column *column, union cell cell, char *out, size_t size);

/* A header and all rows. Missing numbers are nan (tsv, csv), null (json) or a dash (text). */
void print_view(FILE *out, const struct view *view, enum print_format format);
