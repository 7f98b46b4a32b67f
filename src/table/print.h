/* print.h - rows and columns of a results file: raw SI numbers for scripts, or a table for people. */
#pragma once

#include <stdio.h>

#include "table/view.h"

enum print_format { PRINT_TEXT, PRINT_TSV, PRINT_CSV, PRINT_JSON, PRINT_JSON_LINES };

/* The words of --format, in the order of the enumerators; NULL-terminated. */
extern const char *const print_formats[];

/* The format that a word of print_formats names; NULL: text if stdout is a terminal, else tsv. */
enum print_format print_format_named(const char *word);

/* A header and all rows. Missing numbers are nan (tsv, csv), null (json) or a dash (text). */
void print_view(FILE *out, const struct view *view, enum print_format format);
