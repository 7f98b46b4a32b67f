/* frame.h - a data frame: named, typed columns and rows of cells. /results is a frame in memory, and `table`
 * filters and prints frames. A frame does not depend on kernels: files of other releases and of families that
 * are not installed can be read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/column_name.h"

union cell {
    int64_t integer;
    double real;
    const char *text; /* interned in the frame: equal texts have equal pointers; never NULL once set */
};

/* Cells are stored row by row. A missing integer is FRAME_NO_INTEGER, a missing real NaN, a missing text "".
 * Start from frame_new; frame_free releases everything. */
#define FRAME_NO_INTEGER INT64_MIN
struct frame {
    struct column *column;
    int columns;
    union cell *cell;
    size_t rows, row_capacity;
    int *slot;           /* a hash table of the columns' names: index + 1, or 0 */
    size_t slots;        /* a power of two */
    struct texts *texts; /* a text never moves */
};

struct frame frame_new(void);
void frame_free(struct frame *frame);

/* The index of a column, or -1. */
int frame_find(const struct frame *frame, const char *name);
/* The same; -1 also for a column of another type. */
int frame_find_as(const struct frame *frame, const char *name, enum column_type type);

/* Add a column (every row misses it), or return the one that is there already under this name and type.
 * -1 when the name is taken by another type. */
int frame_add_column(struct frame *frame, const char *name, enum column_type type, enum column_role role,
                     const char *unit, const char *meaning);

/* The same, but a clash converts the column to the wider of the two types: an axis that is a number in one
 * family and a word in another becomes a column of texts. */
int frame_join_column(struct frame *frame, const char *name, enum column_type type, enum column_role role,
                      const char *unit, const char *meaning);

/* Remove the columns of which `drop` is true. */
void frame_drop_columns(struct frame *frame, bool (*drop)(const char *name));

/* A cell. Valid until the next row or column. */
static inline union cell *frame_cell(const struct frame *frame, size_t row, int column)
{
    return frame->cell + row * (size_t)frame->columns + (size_t)column;
}

/* Add a row of missing cells, valid until the next row or column. */
union cell *frame_add_row(struct frame *frame);
union cell *frame_row(const struct frame *frame, size_t row);

/* Overwrite row `to` by row `from`. */
void frame_copy_row(const struct frame *frame, size_t to, size_t from);

/* The frame's own copy of `text`, or of the `length` bytes at it, which hold no NUL. */
const char *frame_text(struct frame *frame, const char *text);
const char *frame_text_bytes(struct frame *frame, const char *text, size_t length);

/* The same for bytes from a file, up to a NUL; unclean characters (base/clean.c) are escaped. */
const char *frame_text_foreign(struct frame *frame, const char *text, size_t length);

/* Set a cell, converted to the column's type, which must not be narrower than the value's. frame_put takes a
 * cell of a column of another frame. */
void frame_put(struct frame *frame, size_t row, int column, const struct column *from, union cell cell);
void frame_put_integer(struct frame *frame, size_t row, int column, int64_t value);
void frame_put_real(struct frame *frame, size_t row, int column, double value);
void frame_put_text(struct frame *frame, size_t row, int column, const char *text);

/* A real of the named column, NaN when there is no such real; an integer, or FRAME_NO_INTEGER; a text, or
 * "". */
double frame_find_real(const struct frame *frame, size_t row, const char *name);
int64_t frame_find_integer(const struct frame *frame, size_t row, const char *name);
const char *frame_find_text(const struct frame *frame, size_t row, const char *name);

/* The missing value of a type, and the test for it. */
union cell frame_missing(enum column_type type);
bool frame_is_missing(const struct column *column, union cell cell);

/* Are two cells of this type equal, in one frame or in two? Missing cells are equal. */
bool frame_same_cell(const struct column *column, union cell a, union cell b);

/* ---- Texts, each stored once (texts.c) ---- */

struct texts *texts_new(void);
void texts_free(struct texts *texts); /* NULL is fine */

/* The copy of `length` bytes without NUL, which lives as long as `texts`. */
const char *texts_add(struct texts *texts, const char *text, size_t length);
