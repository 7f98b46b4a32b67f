#include "core/frame.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/spill.h"
#include "core/texts.h"

static const char empty_text[] = ""; /* shared by all frames: the missing text */

struct frame frame_new(void)
{
    return (struct frame){.column_step = 1, .texts = texts_new()};
}

struct frame frame_new_spilled(void)
{
    struct frame frame = frame_new();
    frame.spill = spill_new();
    if (frame.spill)
        frame.cell = spill_base(frame.spill);
    return frame;
}

void frame_evict(const struct frame *frame)
{
    if (frame->spill)
        spill_evict(frame->spill);
}

void frame_free(struct frame *frame)
{
    texts_free(frame->texts);
    free(frame->column);
    free(frame->slot);
    if (frame->spill)
        spill_free(frame->spill);
    else
        free(frame->cell);
    *frame = (struct frame){0};
}

/* ---- Columns ---- */

/* The slot of a name, or the free one where it belongs. */
static size_t find_slot(const struct frame *frame, const char *name)
{
    size_t at = (size_t)hash_text(HASH_START, name) & (frame->slots - 1);
    while (frame->slot[at] && strcmp(frame->column[frame->slot[at] - 1].name, name) != 0)
        at = (at + 1) & (frame->slots - 1);
    return at;
}

int frame_find(const struct frame *frame, const char *name)
{
    return frame->slots ? frame->slot[find_slot(frame, name)] - 1 : -1;
}

/* Index the names again, or the last one alone where there is room for it. */
static void index_names(struct frame *frame)
{
    int first = frame->columns - 1;
    if (2 * (size_t)frame->columns > frame->slots) {
        frame->slots = frame->slots ? 2 * frame->slots : 32;
        free(frame->slot);
        frame->slot = memory_new(frame->slots, sizeof *frame->slot);
        first = 0;
    }
    for (int i = first; i < frame->columns; i++) {
        int *slot = &frame->slot[find_slot(frame, frame->column[i].name)];
        *slot = *slot ? *slot : i + 1; /* of names that are equal as far as they are kept, the first */
    }
}

double frame_find_real(const struct frame *frame, size_t row, const char *name)
{
    int index = frame_find(frame, name);
    return index < 0 || frame->column[index].type != COLUMN_REAL ? NAN : frame_cell(frame, row, index)->real;
}

int64_t frame_find_integer(const struct frame *frame, size_t row, const char *name)
{
    int index = frame_find(frame, name);
    return index < 0 || frame->column[index].type != COLUMN_INTEGER ? FRAME_NO_INTEGER
                                                                    : frame_cell(frame, row, index)->integer;
}

const char *frame_find_text(const struct frame *frame, size_t row, const char *name)
{
    int index = frame_find(frame, name);
    return index < 0 || frame->column[index].type != COLUMN_TEXT ? empty_text
                                                                 : frame_cell(frame, row, index)->text;
}

union cell frame_missing(enum column_type type)
{
    switch (type) {
    case COLUMN_REAL:
        return (union cell){.real = NAN};
    case COLUMN_TEXT:
        return (union cell){.text = empty_text};
    default:
        return (union cell){.integer = FRAME_NO_INTEGER};
    }
}

bool frame_is_missing(const struct column *column, union cell cell)
{
    switch (column->type) {
    case COLUMN_REAL:
        return isnan(cell.real);
    case COLUMN_TEXT:
        return !*cell.text;
    default:
        return cell.integer == FRAME_NO_INTEGER;
    }
}

bool frame_same_cell(const struct column *column, union cell a, union cell b)
{
    if (column->type == COLUMN_REAL)
        return a.real == b.real || (isnan(a.real) && isnan(b.real));
    if (column->type == COLUMN_TEXT)
        return a.text == b.text || !strcmp(a.text, b.text);
    return a.integer == b.integer;
}

/* ---- Where cells are ---- */

/* Make room for `count` cells. */
static void reserve_cells(struct frame *frame, size_t count)
{
    if (frame->spill)
        spill_reserve(frame->spill, count * sizeof *frame->cell);
    else
        frame->cell = memory_resize(frame->cell, count ? count : 1, sizeof *frame->cell);
}

/* Make room for `columns` cells a row; the new ones at the end of each row are left for the caller to fill. */
static void widen_rows(struct frame *frame, int columns)
{
    size_t old = (size_t)frame->columns, new = (size_t)columns;
    frame->row_step = new;
    if (!frame->rows) {
        frame->row_capacity = 0; /* the next row allocates for the new width */
        return;
    }
    reserve_cells(frame, (frame->spill ? frame->rows : frame->row_capacity) * new);
    for (size_t row = frame->rows; row-- > 0;) /* from the last: each moves away from those before */
        memmove(frame->cell + row * new, frame->cell + row * old, old * sizeof *frame->cell);
}

/* Where cells are stored by column: make room for so many rows. */
static void lengthen_columns(struct frame *frame, size_t rows)
{
    enum {
        PAGE = 512
    }; /* cells of 4 KiB: columns begin at pages, so that none shares its memory with another */
    size_t old = frame->column_step, new = (rows + PAGE - 1) / PAGE *PAGE;
    reserve_cells(frame, new *(size_t)frame->columns);
    for (int column = old ? frame->columns : 0; column-- > 1;) { /* from the last, as above */
        memmove(frame->cell + (size_t)column * new, frame->cell + (size_t)column * old,
                frame->rows * sizeof *frame->cell);
        frame_evict(frame);
    }
    frame->column_step = frame->row_capacity = new;
}

void frame_reserve(struct frame *frame, size_t rows)
{
    if (frame->by_column && rows > frame->row_capacity)
        lengthen_columns(frame, rows);
}

/* Move rows from `first` on, read as they are stored by row, to their columns. */
static void spread(struct frame *frame, size_t first, const union cell *cell, size_t rows, size_t width)
{
    union cell *part = memory_new(rows, sizeof *part);
    for (size_t column = 0; column < width; column++) {
        union cell *to = frame->cell + column * frame->column_step + first;
        union cell *buffer = frame->spill ? part : to;
        for (size_t row = 0; row < rows; row++)
            buffer[row] = cell[row * width + column];
        if (frame->spill)
            spill_put(frame->spill, (size_t)(to - frame->cell) * sizeof *to, part, rows * sizeof *part);
    }
    free(part);
}

void frame_by_column(struct frame *frame)
{
    enum { ROWS = 1 << 13 };
    struct frame old = *frame;
    if (frame->by_column)
        return;
    frame->by_column = true;
    frame->row_step = 1;
    frame->column_step = frame->row_capacity = 0;
    frame->cell = NULL;
    if (old.spill) {
        frame->spill = spill_new();
        frame->cell = frame->spill ? spill_base(frame->spill) : NULL;
    }
    if (old.rows)
        lengthen_columns(frame, old.rows);
    for (size_t row = 0; row < old.rows; row += ROWS) {
        size_t rows = old.rows - row < ROWS ? old.rows - row : ROWS;
        spread(frame, row, frame_row(&old, row), rows, (size_t)old.columns);
        frame_evict(&old);
    }
    if (old.spill)
        spill_free(old.spill);
    else
        free(old.cell);
}

static int new_column(struct frame *frame, const char *name, enum column_type type, enum column_role role,
                      const char *unit, const char *meaning)
{
    if (frame->by_column)
        reserve_cells(frame, ((size_t)frame->columns + 1) * frame->column_step);
    else
        widen_rows(frame, frame->columns + 1);
    frame->column = memory_resize(frame->column, (size_t)frame->columns + 1, sizeof *frame->column);
    int index = frame->columns++;
    struct column *column = &frame->column[index];
    *column = (struct column){.type = type, .role = role};
    snprintf(column->name, sizeof column->name, "%s", name);
    snprintf(column->unit, sizeof column->unit, "%s", unit);
    snprintf(column->meaning, sizeof column->meaning, "%s", meaning);
    index_names(frame);
    for (size_t row = 0; row < frame->rows; row++)
        *frame_cell(frame, row, index) = frame_missing(type);
    return index;
}

int frame_add_column(struct frame *frame, const char *name, enum column_type type, enum column_role role,
                     const char *unit, const char *meaning)
{
    int index = frame_find(frame, name);
    if (index < 0)
        return new_column(frame, name, type, role, unit, meaning);
    return frame->column[index].type == type ? index : -1;
}

/* `cell`, of type `from`, as the wider type `to`. */
static union cell widen(struct frame *frame, union cell cell, const struct column *from, enum column_type to)
{
    if (frame_is_missing(from, cell))
        return frame_missing(to);
    if (to == COLUMN_REAL)
        return (union cell){.real = (double)cell.integer};
    char text[40];
    if (from->type == COLUMN_REAL)
        snprintf(text, sizeof text, "%.17g", cell.real);
    else
        snprintf(text, sizeof text, "%" PRId64, cell.integer);
    return (union cell){.text = frame_text(frame, text)};
}

int frame_join_column(struct frame *frame, const char *name, enum column_type type, enum column_role role,
                      const char *unit, const char *meaning)
{
    int index = frame_find(frame, name);
    if (index < 0)
        return new_column(frame, name, type, role, unit, meaning);
    struct column *column = &frame->column[index];
    if (type > column->type) {
        for (size_t row = 0; row < frame->rows; row++) {
            union cell *cell = frame_cell(frame, row, index);
            *cell = widen(frame, *cell, column, type);
        }
        column->type = type;
    }
    return index;
}

/* ---- Rows ---- */

union cell *frame_row(const struct frame *frame, size_t row)
{
    assert(!frame->by_column);
    return frame->cell + row * (size_t)frame->columns;
}

void frame_copy_row(const struct frame *frame, size_t to, size_t from)
{
    memcpy(frame_row(frame, to), frame_row(frame, from), (size_t)frame->columns * sizeof(union cell));
}

void frame_append_row(struct frame *frame)
{
    if (!frame->by_column) {
        frame_add_row(frame);
        return;
    }
    if (frame->rows == frame->row_capacity)
        lengthen_columns(frame, 2 * frame->rows + 1);
    for (int i = 0; i < frame->columns; i++)
        *frame_cell(frame, frame->rows, i) = frame_missing(frame->column[i].type);
    frame->rows++;
}

union cell *frame_add_row(struct frame *frame)
{
    assert(!frame->by_column);
    size_t width = (size_t)frame->columns;
    if (frame->spill)
        spill_reserve(frame->spill, (frame->rows + 1) * width * sizeof *frame->cell);
    else if (frame->rows >= frame->row_capacity)
        frame->cell =
            memory_grow(frame->cell, frame->rows, &frame->row_capacity, width * sizeof *frame->cell);
    union cell *row = frame_row(frame, frame->rows++);
    for (size_t i = 0; i < width; i++)
        row[i] = frame_missing(frame->column[i].type);
    return row;
}

void frame_add_rows(struct frame *frame, const union cell *cell, size_t rows)
{
    size_t width = (size_t)frame->columns * sizeof *cell, at = frame->rows * width;
    if (frame->by_column) {
        if (frame->rows + rows > frame->row_capacity)
            lengthen_columns(frame, 2 * frame->rows + rows);
        spread(frame, frame->rows, cell, rows, (size_t)frame->columns);
        frame->rows += rows;
        return;
    }
    if (frame->spill) {
        spill_reserve(frame->spill, at + rows * width);
        spill_put(frame->spill, at, cell, rows * width);
        frame->rows += rows;
        return;
    }
    for (size_t row = 0; row < rows; row++)
        memcpy(frame_add_row(frame), cell + row * (size_t)frame->columns, width);
}

static void put(struct frame *frame, size_t row, int column, enum column_type type, union cell cell)
{
    const struct column from = {.type = type};
    if (frame->column[column].type != type)
        cell = widen(frame, cell, &from, frame->column[column].type);
    *frame_cell(frame, row, column) = cell;
}

void frame_put(struct frame *frame, size_t row, int column, const struct column *from, union cell cell)
{
    if (from->type == COLUMN_TEXT)
        cell.text = frame_text(frame, cell.text); /* the other frame's text may go before ours */
    put(frame, row, column, from->type, cell);
}

void frame_put_integer(struct frame *frame, size_t row, int column, int64_t value)
{
    put(frame, row, column, COLUMN_INTEGER, (union cell){.integer = value});
}

void frame_put_real(struct frame *frame, size_t row, int column, double value)
{
    put(frame, row, column, COLUMN_REAL, (union cell){.real = value});
}

void frame_put_text(struct frame *frame, size_t row, int column, const char *text)
{
    put(frame, row, column, COLUMN_TEXT, (union cell){.text = frame_text(frame, text)});
}

/* Rows whose cells are left for the caller to fill. */
static void add_blank_rows(struct frame *frame, size_t rows)
{
    if (!frame->by_column) {
        for (size_t row = 0; row < rows; row++)
            frame_add_row(frame);
        return;
    }
    frame_reserve(frame, frame->rows + rows);
    frame->rows += rows;
}

/* Fill column `to` of the rows from `first` on by column `column` of `from`; negative: they miss it. */
static void append_column(struct frame *frame, size_t first, int to, const struct frame *from, int column)
{
    const char *last = NULL, *own = NULL; /* most texts are those of the row above */
    for (size_t row = 0; row < from->rows; row++) {
        union cell cell = column < 0 ? frame_missing(frame->column[to].type) : *frame_cell(from, row, column);
        if (frame->column[to].type == COLUMN_TEXT && column >= 0) {
            own = cell.text == last ? own : frame_text(frame, cell.text);
            last = cell.text;
            cell.text = own;
        }
        *frame_cell(frame, first + row, to) = cell;
    }
    frame_evict(frame);
    frame_evict(from);
}

int frame_append(struct frame *frame, const struct frame *from)
{
    for (int i = 0; i < from->columns; i++) {
        int there = frame_find(frame, from->column[i].name);
        if (there >= 0 && frame->column[there].type != from->column[i].type)
            return -1;
    }
    for (int i = 0; i < from->columns; i++) {
        const struct column *column = &from->column[i];
        frame_add_column(frame, column->name, column->type, column->role, column->unit, column->meaning);
    }
    size_t first = frame->rows;
    add_blank_rows(frame, from->rows);
    for (int i = 0; i < frame->columns; i++)
        append_column(frame, first, i, from, frame_find(from, frame->column[i].name));
    return 0;
}

/* ---- Texts ---- */

const char *frame_text_bytes(struct frame *frame, const char *text, size_t length)
{
    if (!length)
        return empty_text;
    return texts_add(frame->texts, text, length);
}

const char *frame_text_foreign(struct frame *frame, const char *text, size_t length)
{
    length = strnlen(text, length);
    if (clean_is(text, length))
        return frame_text_bytes(frame, text, length);
    char *copy = memory_new(length + 1, 1), *clean = memory_new(4 * length + 1, 1);
    memcpy(copy, text, length);
    clean_text(copy, clean, 4 * length + 1);
    const char *kept = frame_text(frame, clean);
    free(copy);
    free(clean);
    return kept;
}

const char *frame_text(struct frame *frame, const char *text)
{
    return frame_text_bytes(frame, text, strlen(text));
}
