/* sheet.h - a small table in memory, and its writers: aligned text, Markdown, LaTeX (booktabs, siunitx) and HTML.
 *
 * A column is of words or of numbers with one unit, which stands in its head. A number has as many digits as half the
 * width of its interval allows; where it has none, four. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "output/markup.h"
#include "table/tone.h"

#define SHEET_COLUMNS_MAX 24 /* of a page of a paper; others may have more */

enum sheet_kind {
    SHEET_WORDS, /* to the left */
    SHEET_RIGHT, /* words to the right: quantities of different units */
    SHEET_BYTES, /* the same: 64MiB, which LaTeX writes with a thin space */
    SHEET_WRAPS, /* words that take the width that is left, over several lines */
    SHEET_NUMBER,
    SHEET_COUNT, /* whole numbers */
};

struct sheet_head {
    char name[160];
    const char *unit; /* "GB/s", "%", "us", ""; a constant */
    enum sheet_kind kind;
};

struct sheet_cell {
    char *
        text; /* owned; of a number only where it is a SHEET_COUNT of an integer; NULL: missing, or a number */
    double value, half; /* in the head's unit; NaN: missing. half: of the interval's width, NaN: none */
    bool dagger;        /* printed with SHEET_DAGGER behind it */
    enum tone tone;     /* the colour of MARKUP_TEXT on a terminal */
};

/* Start from sheet_new; sheet_free releases it. */
struct sheet {
    char name[64];           /* of its file and of its anchor */
    char *caption;           /* owned */
    struct sheet_head *head; /* owned */
    int columns;
    struct sheet_cell *cell; /* owned; row by row */
    size_t cells, capacity;
    bool wide;  /* both columns of a paper */
    int indent; /* spaces before each line of MARKUP_TEXT */
};

struct sheet sheet_new(const char *name, bool wide);
void sheet_free(struct sheet *sheet);
size_t sheet_rows(const struct sheet *sheet);

void sheet_caption(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sheet_head(struct sheet *sheet, enum sheet_kind kind, const char *unit, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The next cell, row after row. */
void sheet_text(struct sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sheet_number(struct sheet *sheet, double value, double half);

/* Put a dagger at the cell that was added last. It means throttled_meaning (table/throttled.h), which sheet_caption
 * adds to the caption; tables without one have it below them. */
#define SHEET_DAGGER "†"
void sheet_dagger(struct sheet *sheet);
/* Set the tone of the cell that was added last. */
void sheet_tone(struct sheet *sheet, enum tone tone);
bool sheet_has_daggers(const struct sheet *sheet);

void sheet_integer(struct sheet *sheet, int64_t value); /* of a SHEET_COUNT column, to the last digit */

/* How many rows from `first` on take so many lines of text or less; estimated, with room to spare; one at least. */
size_t sheet_fit(const struct sheet *sheet, size_t first, int lines);

/* What stands around a table: nothing (a document's own table), what a LaTeX document needs to take it in by itself, or what
 * a paper's page has: tabularx in LaTeX; a caption, an anchor and sorting in HTML. */
enum sheet_frame { SHEET_PLAIN, SHEET_ALONE, SHEET_PAPER };

void sheet_print(FILE *out, enum markup markup, enum sheet_frame frame, const struct sheet *sheet);

/* The same of `count` rows at most, from `first` on. */
void sheet_print_rows(FILE *out, enum markup markup, enum sheet_frame frame, const struct sheet *sheet,
                      size_t first, size_t count);

/* vsnprintf into memory that the caller frees. */
char *sheet_format_text(const char *format, va_list arguments);

/* For the writers: */
const struct sheet_cell *sheet_cell_at(const struct sheet *sheet, size_t row, int column);
bool sheet_is_missing(const struct sheet_cell *cell);
bool sheet_is_number(const struct sheet_head *head);
/* A number as siunitx reads it: 4299(4). */
void sheet_format_number(const struct sheet_head *head, const struct sheet_cell *cell, char *out,
                         size_t size);
/* The digits of a column before and after the point and of uncertainties, at most; of rows from `first` to before `end`. */
struct sheet_digits {
    int whole, decimals, uncertain;
};
struct sheet_digits sheet_digits_of(const struct sheet *sheet, int column, size_t first, size_t end);
