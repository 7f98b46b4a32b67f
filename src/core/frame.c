#include "core/frame.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/hash.h"
#include "base/memory.h"

static const char empty_text[] = ""; /* shared by all frames: the missing text */

struct frame frame_new(void)
{
    return (struct frame){.texts = texts_new()};
}

void frame_free(struct frame *frame)
{
    texts_free(frame->texts);
    free(frame->column);
    free(frame->slot);
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

static void index_name(struct frame *frame, int column)
{
    int *slot = &frame->slot[find_slot(frame, frame->column[column].name)];
    *slot = *slot ? *slot : column + 1; /* of names that are equal as far as they are kept, the first */
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
    for (int i = first; i < frame->columns; i++)
        index_name(frame, i);
}

int frame_find_as(const struct frame *frame, const char *name, enum column_type type)
{
    int index = frame_find(frame, name);
    return index >= 0 && frame->column[index].type == type ? index : -1;
}

double frame_find_real(const struct frame *frame, size_t row, const char *name)
{
    int index = frame_find_as(frame, name, COLUMN_REAL);
    return index < 0 ? NAN : frame_cell(frame, row, index)->real;
}

int64_t frame_find_integer(const struct frame *frame, size_t row, const char *name)
{
    int index = frame_find_as(frame, name, COLUMN_INTEGER);
    return index < 0 ? FRAME_NO_INTEGER : frame_cell(frame, row, index)->integer;
}

const char *frame_find_text(const struct frame *frame, size_t row, const char *name)
{
    int index = frame_find_as(frame, name, COLUMN_TEXT);
    return index < 0 ? empty_text : frame_cell(frame, row, index)->text;
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

void frame_drop_columns(struct frame *frame, bool (*drop)(const char *name))
{
    const int before = frame->columns;
    if (!before)
        return;
    int *kept = memory_new((size_t)before, sizeof *kept), count = 0;
    for (int i = 0; i < before; i++)
        if (!drop(frame->column[i].name)) {
            frame->column[count] = frame->column[i];
            kept[count++] = i;
        }
    for (size_t row = 0; row < frame->rows; row++) /* cells move down only */
        for (int i = 0; i < count; i++)
            frame->cell[row * (size_t)count + (size_t)i] =
                frame->cell[row * (size_t)before + (size_t)kept[i]];
    if (count)
        frame->row_capacity = frame->row_capacity * (size_t)before / (size_t)count;
    frame->columns = count;
    memset(frame->slot, 0, frame->slots * sizeof *frame->slot);
    for (int i = 0; i < count; i++)
        index_name(frame, i);
    free(kept);
}

/* Make room for `columns` cells a row; the new ones at the end of each row are left for the caller to
 * fill. */
static void widen_rows(struct frame *frame, int columns)
{
    size_t old = (size_t)frame->columns, new = (size_t)columns;
    if (!frame->rows) {
        frame->row_capacity = 0; /* the next row allocates for the new width */
        return;
    }
    frame->cell = memory_resize(frame->cell, frame->row_capacity * new, sizeof *frame->cell);
    for (size_t row = frame->rows; row-- > 0;) /* from the last: each moves away from those before */
        memmove(frame->cell + row * new, frame->cell + row * old, old * sizeof *frame->cell);
}

static int new_column(struct frame *frame, const char *name, enum column_type type, enum column_role role,
                      const char *unit, const char *meaning)
{
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
        if (type == COLUMN_TEXT)
            *column->unit = '\0';
    }
    return index;
}

/* ---- Rows ---- */

union cell *frame_row(const struct frame *frame, size_t row)
{
    return frame->cell + row * (size_t)frame->columns;
}

void frame_copy_row(const struct frame *frame, size_t to, size_t from)
{
    memcpy(frame_row(frame, to), frame_row(frame, from), (size_t)frame->columns * sizeof(union cell));
}

union cell *frame_add_row(struct frame *frame)
{
    size_t width = (size_t)frame->columns;
    if (frame->rows >= frame->row_capacity)
        frame->cell =
            memory_grow(frame->cell, frame->rows, &frame->row_capacity, width * sizeof *frame->cell);
    union cell *row = frame_row(frame, frame->rows++);
    for (size_t i = 0; i < width; i++)
        row[i] = frame_missing(frame->column[i].type);
    return row;
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

/* ---- Texts ---- */

const char *frame_text_bytes(struct frame *frame, const char *text, size_t length)
{
    return length ? texts_add(frame->texts, text, length) : empty_text;
}

const char *frame_text_foreign(struct frame *frame, const char *text, size_t length)
{
    length = strnlen(text, length);
    if (clean_is(text, length))
        return frame_text_bytes(frame, text, length);
    char *copy = memory_new(length + 1, 1);
    memcpy(copy, text, length);
    char *clean = clean_copy(copy);
    const char *kept = frame_text(frame, clean);
    free(copy);
    free(clean);
    return kept;
}

const char *frame_text(struct frame *frame, const char *text)
{
    return frame_text_bytes(frame, text, strlen(text));
}
