/* human.h - cells and tables as people read them: numbers in the units that fit, columns as wide as their
 * widest cell. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "core/frame.h"

/* One cell: 12.3us, 64MiB, 4290 GB/s, 93.1 %; a dash when missing. Bytes of an axis are exact, others have up
 * to four digits. Texts are cut to `size`. */
void human_cell(const struct column *column, union cell cell, char *out, size_t size);

/* A table as aligned text. Start from {0}; human_print releases it. */
struct human_table {
    char **cell; /* owned; the heads, then row by row */
    size_t cells, capacity;
    int columns;
    bool *right; /* owned; of each column */
};

/* The next column, before any cell. `right`: aligned to the right. */
void human_head(struct human_table *table, bool right, const char *name);
/* The next cell, row after row. */
void human_add(struct human_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* All heads, then all rows. */
void human_print(FILE *out, struct human_table *table);
