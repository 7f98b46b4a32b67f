/* sheet.h - a small table that both pages show: as LaTeX (booktabs, siunitx) and as HTML that can be sorted.
 *
 * A column is of words or of numbers with one unit, which stands in its head. A number has as many digits as half the
 * width of its interval allows; where it has none, four. */
#ifndef OUTPUT_SHEET_H
#define OUTPUT_SHEET_H

#include <stdbool.h>
#include <stdio.h>

#define SHEET_COLUMNS_MAX 24

enum sheet_kind {
    SHEET_WORDS, /* to the left */
    SHEET_RIGHT, /* words to the right: quantities of different units */
    SHEET_WRAPS, /* words that take the width that is left, over several lines */
    SHEET_NUMBER,
    SHEET_COUNT, /* whole numbers */
};

struct sheet_head {
    char name[96];
    const char *unit; /* "GB/s", "%", "us", ""; a constant */
    enum sheet_kind kind;
};

struct sheet_cell {
    char *text;         /* owned; NULL: missing, or a number */
    double value, half; /* in the head's unit; NaN: missing. half: of the interval's width, NaN: none */
};

/* Start from sheet_new; sheet_free releases it. */
struct sheet {
    char name[64]; /* of its file and of its anchor */
    char *caption; /* owned */
    struct sheet_head head[SHEET_COLUMNS_MAX];
    int columns;
    struct sheet_cell *cell; /* owned; row by row */
    size_t cells, capacity;
    bool wide; /* both columns of a paper */
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

/* A number as people write it: 4299 ± 4; 0.43 ± 0.12. */
void sheet_format_plain(double value, double half, char *out, size_t size);

/* How many rows from `first` on take so many lines of text or less; estimated, with room to spare; one at least. */
size_t sheet_fit(const struct sheet *sheet, size_t first, int lines);

/* The tabular alone, of rows from `first` on, at most `count` of them: for \input. */
void sheet_print_latex(FILE *out, const struct sheet *sheet, size_t first, size_t count);

/* A <table> with <caption>, scopes, and the numbers that it is sorted by; of at most so many rows. */
void sheet_print_html(FILE *out, const struct sheet *sheet, size_t most);

#endif
