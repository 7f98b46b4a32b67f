#include "core/frame.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/spill.h"

/* Texts live in blocks that never move; a table of pointers to them, open addressing with linear probing,
 * finds the one that is there already. */
struct frame_texts {
    struct {
        const char *text;
        uint64_t
            hash; /* so that neither growing nor a text that is not there asks for the texts themselves */
    } * slot;     /* a power of two of them, at most half full */
    size_t slots, used;
    char **block;
    size_t blocks, block_capacity;
    size_t left; /* bytes free at the end of the newest block */
};

static const char empty_text[] = ""; /* shared by all frames: the missing text */

struct frame frame_new(void)
{
    return (struct frame){.texts = memory_new(1, sizeof(struct frame_texts))};
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
    struct frame_texts *texts = frame->texts;
    if (texts) {
        for (size_t i = 0; i < texts->blocks; i++)
            free(texts->block[i]);
        free(texts->block);
        free(texts->slot);
        free(texts);
    }
    free(frame->column);
    if (frame->spill)
        spill_free(frame->spill);
    else
        free(frame->cell);
    *frame = (struct frame){0};
}

int frame_find(const struct frame *frame, const char *name)
{
    for (int i = 0; i < frame->columns; i++)
        if (!strcmp(frame->column[i].name, name))
            return i;
    return -1;
}

double frame_find_real(const struct frame *frame, size_t row, const char *name)
{
    int index = frame_find(frame, name);
    return index < 0 || frame->column[index].type != COLUMN_REAL ? NAN : frame_row(frame, row)[index].real;
}

const char *frame_find_text(const struct frame *frame, size_t row, const char *name)
{
    int index = frame_find(frame, name);
    return index < 0 || frame->column[index].type != COLUMN_TEXT ? empty_text
                                                                 : frame_row(frame, row)[index].text;
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

/* Make room for `columns` cells a row; the new ones at the end of each row are left for the caller to fill.
 */
static void relayout(struct frame *frame, int columns)
{
    if (!frame->rows) {
        frame->row_capacity = 0; /* the next row allocates for the new width */
        return;
    }
    size_t old = (size_t)frame->columns, new = (size_t)columns;
    if (frame->spill) {
        spill_reserve(frame->spill, frame->rows * new * sizeof *frame->cell);
        for (size_t row = frame->rows; row-- > 0;) /* from the last: each moves away from those before */
            memmove(frame->cell + row * new, frame->cell + row * old, old * sizeof *frame->cell);
        return;
    }
    union cell *cell = memory_resize(NULL, frame->row_capacity * new, sizeof *cell);
    for (size_t row = 0; row < frame->rows; row++)
        memcpy(cell + row * new, frame->cell + row * old, old * sizeof *cell);
    free(frame->cell);
    frame->cell = cell;
}

static int new_column(struct frame *frame, const char *name, enum column_type type, enum column_role role,
                      const char *unit, const char *meaning)
{
    relayout(frame, frame->columns + 1);
    frame->column = memory_resize(frame->column, (size_t)frame->columns + 1, sizeof *frame->column);
    int index = frame->columns++;
    struct column *column = &frame->column[index];
    *column = (struct column){.type = type, .role = role};
    snprintf(column->name, sizeof column->name, "%s", name);
    snprintf(column->unit, sizeof column->unit, "%s", unit);
    snprintf(column->meaning, sizeof column->meaning, "%s", meaning);
    for (size_t row = 0; row < frame->rows; row++)
        frame_row(frame, row)[index] = frame_missing(type);
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
            union cell *cell = &frame_row(frame, row)[index];
            *cell = widen(frame, *cell, column, type);
        }
        column->type = type;
    }
    return index;
}

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
    frame_row(frame, row)[column] = cell;
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

int frame_append(struct frame *frame, const struct frame *from)
{
    for (int i = 0; i < from->columns; i++) {
        int there = frame_find(frame, from->column[i].name);
        if (there >= 0 && frame->column[there].type != from->column[i].type)
            return -1;
    }
    int *target = memory_new((size_t)from->columns, sizeof *target);
    for (int i = 0; i < from->columns; i++) {
        const struct column *column = &from->column[i];
        target[i] =
            frame_add_column(frame, column->name, column->type, column->role, column->unit, column->meaning);
    }
    for (size_t row = 0; row < from->rows; row++) {
        const union cell *cell = frame_row(from, row);
        union cell *added = frame_add_row(frame);
        for (int i = 0; i < from->columns; i++) {
            if (from->column[i].type == COLUMN_TEXT)
                added[target[i]].text = frame_text(frame, cell[i].text);
            else
                added[target[i]] = cell[i];
        }
    }
    free(target);
    return 0;
}

/* The slot that holds these bytes, or the free one where they belong. */
static size_t find_slot(const struct frame_texts *texts, const char *text, size_t length, uint64_t hash)
{
    size_t mask = texts->slots - 1, at = (size_t)hash & mask;
    while (texts->slot[at].text &&
           (texts->slot[at].hash != hash || strncmp(texts->slot[at].text, text, length) != 0 ||
            texts->slot[at].text[length]))
        at = (at + 1) & mask;
    return at;
}

static void grow_slots(struct frame_texts *texts)
{
    const struct frame_texts old = *texts;
    texts->slots = old.slots ? 2 * old.slots : 64;
    texts->slot = memory_new(texts->slots, sizeof *texts->slot);
    for (size_t i = 0; i < old.slots; i++) {
        size_t at = (size_t)old.slot[i].hash & (texts->slots - 1);
        if (!old.slot[i].text)
            continue;
        while (texts->slot[at].text) /* all are different */
            at = (at + 1) & (texts->slots - 1);
        texts->slot[at] = old.slot[i];
    }
    free(old.slot);
}

/* `size` bytes that live as long as the frame. A long text gets a block of its own, put below the newest one,
 * whose free end stays in use. */
static char *block_bytes(struct frame_texts *texts, size_t size)
{
    enum { BLOCK = 1 << 16 };
    texts->block = memory_grow(texts->block, texts->blocks, &texts->block_capacity, sizeof *texts->block);
    if (size > BLOCK / 4) {
        char *own = memory_new(size, 1);
        texts->block[texts->blocks++] = own;
        if (texts->blocks > 1) {
            texts->block[texts->blocks - 1] = texts->block[texts->blocks - 2];
            texts->block[texts->blocks - 2] = own;
        }
        return own;
    }
    if (size > texts->left) {
        texts->block[texts->blocks++] = memory_new(BLOCK, 1);
        texts->left = BLOCK;
    }
    char *bytes = texts->block[texts->blocks - 1] + BLOCK - texts->left;
    texts->left -= size;
    return bytes;
}

static const char *intern(struct frame_texts *texts, const char *text, size_t length)
{
    if (2 * (texts->used + 1) > texts->slots)
        grow_slots(texts);
    uint64_t hash = hash_mix(hash_bytes(HASH_START, text, length));
    size_t at = find_slot(texts, text, length, hash);
    if (!texts->slot[at].text) {
        char *copy = block_bytes(texts, length + 1);
        memcpy(copy, text, length);
        copy[length] = '\0';
        texts->slot[at].text = copy;
        texts->slot[at].hash = hash;
        texts->used++;
    }
    return texts->slot[at].text;
}

const char *frame_text_bytes(struct frame *frame, const char *text, size_t length)
{
    if (!length)
        return empty_text;
    return intern(frame->texts, text, length);
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
