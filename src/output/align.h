/* align.h - a table for people on a terminal: columns as wide as their widest cell. */
#ifndef OUTPUT_ALIGN_H
#define OUTPUT_ALIGN_H

#include <stdio.h>

/* Start from {.alignment = "lrr"}: an 'l' or 'r' for each column. The first row is the header. */
struct align {
    const char *alignment;
    char **cell; /* owned, row by row */
    size_t cells, capacity;
};

/* The next cell, row after row. */
void align_cell(struct align *align, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print the rows, each after `indent` spaces, and release them. */
void align_print(FILE *out, struct align *align, int indent);

#endif
