/* text_table.h - a table as aligned text: columns as wide as their widest cell. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "table/tone.h"

/* Start from {0}; text_table_free releases it. */
struct text_table {
    struct text_cell *cell; /* owned; the heads, then row by row */
    size_t cells, capacity;
    int columns;
    bool *right; /* owned; of each column */
};
void text_table_free(struct text_table *table);

/* The next column, before any cell. `right`: aligned to the right. */
void text_table_head(struct text_table *table, bool right, const char *name);
/* The next cell, row after row. */
void text_table_cell(struct text_table *table, enum tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* All heads, then all rows, in colours if `out` is a terminal. */
void text_table_print(FILE *out, const struct text_table *table);
