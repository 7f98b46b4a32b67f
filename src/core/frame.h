/* frame.h - a data frame: named, typed columns and rows of cells. /results is a frame in memory, and `table` filters and prints
 * frames. A frame does not depend on kernels: files of other releases and of families that are not installed can be read. */
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

/* Cells are stored row by row, or column by column (frame_by_column). A missing integer is FRAME_NO_INTEGER, a missing real
 * NaN, a missing text "". Start from frame_new; frame_free releases everything. */
#define FRAME_NO_INTEGER INT64_MIN
struct frame {
    struct column *column;
    int columns;
    union cell *cell;
    size_t rows, row_capacity;
    size_t row_step, column_step; /* cells from a row to the next, and from a column to the next */
    bool by_column;
    int *slot;    /* a hash table of the columns' names: index + 1, or 0 */
    size_t slots; /* a power of two */
    struct texts *texts;
    struct spill *spill; /* NULL, or where the cells are: rows never move then, but for new columns */
};

struct frame frame_new(void);
struct frame frame_new_spilled(void); /* of many rows: they are kept out of memory (base/spill.h) */
void frame_free(struct frame *frame);
/* Give the memory of spilled rows back; call it now and then during a pass over all of them. */
void frame_evict(const struct frame *frame);

/* The index of a column, or -1. */
int frame_find(const struct frame *frame, const char *name);

/* Add a column (every row misses it), or return the one that is there already under this name and type.
 * -1 when the name is taken by another type. */
int frame_add_column(struct frame *frame, const char *name, enum column_type type, enum column_role role,
                     const char *unit, const char *meaning);

/* The same, but a clash converts the column to the wider of the two types: an axis that is a number in one family and a word in
 * another becomes a column of texts. */
int frame_join_column(struct frame *frame, const char *name, enum column_type type, enum column_role role,
                      const char *unit, const char *meaning);

/* Store the cells column by column from now on: a pass over some columns of many rows reads only these. Rows and columns
 * can still be added. frame_reserve makes room for so many rows at once, which keeps cells from moving later. */
void frame_by_column(struct frame *frame);
void frame_reserve(struct frame *frame, size_t rows);

/* A cell. Valid until the next row or column. */
static inline union cell *frame_cell(const struct frame *frame, size_t row, int column)
{
    return frame->cell + row * frame->row_step + (size_t)column * frame->column_step;
}

/* Add a row of missing cells. */
void frame_append_row(struct frame *frame);

/* The same where cells are stored row by row: returns the row, valid until the next row or column. */
union cell *frame_add_row(struct frame *frame);
union cell *frame_row(const struct frame *frame, size_t row);

/* Overwrite row `to` by row `from`. */
void frame_copy_row(const struct frame *frame, size_t to, size_t from);

/* Add `rows` rows at once; their texts are the frame's own. Cheaper than one by one where the frame is spilled: they
 * never were in memory. */
void frame_add_rows(struct frame *frame, const union cell *cell, size_t rows);

/* The frame's own copy of `text`, or of the `length` bytes at it, which hold no NUL. */
const char *frame_text(struct frame *frame, const char *text);
const char *frame_text_bytes(struct frame *frame, const char *text, size_t length);

/* The same for bytes from a file, up to a NUL; unclean characters (base/clean.h) are escaped. */
const char *frame_text_foreign(struct frame *frame, const char *text, size_t length);

/* Set a cell, converted to the column's type, which must not be narrower than the value's. frame_put takes a cell of a column of
 * another frame. */
void frame_put(struct frame *frame, size_t row, int column, const struct column *from, union cell cell);
void frame_put_integer(struct frame *frame, size_t row, int column, int64_t value);
void frame_put_real(struct frame *frame, size_t row, int column, double value);
void frame_put_text(struct frame *frame, size_t row, int column, const char *text);

/* Append every row of `from`, matching columns by name; new columns are added. -1 on a clash of types. */
int frame_append(struct frame *frame, const struct frame *from);

/* A real of the named column, NaN when there is no such real; an integer, or FRAME_NO_INTEGER; a text, or "". */
double frame_find_real(const struct frame *frame, size_t row, const char *name);
int64_t frame_find_integer(const struct frame *frame, size_t row, const char *name);
const char *frame_find_text(const struct frame *frame, size_t row, const char *name);

/* The missing value of a type, and the test for it. */
union cell frame_missing(enum column_type type);
bool frame_is_missing(const struct column *column, union cell cell);

/* Are two cells of this type equal, in one frame or in two? Missing cells are equal. */
bool frame_same_cell(const struct column *column, union cell a, union cell b);
