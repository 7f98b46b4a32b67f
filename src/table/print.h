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

/* One cell as in tsv: raw, in SI units. */
void print_plain(FILE *out, const struct column *column, union cell cell);

/* A text in CSV (RFC 4180): quoted when it has to be, quotes doubled. */
void print_csv_text(FILE *out, const char *text);

/* A text in JSON, with its quotes. */
void print_json_text(FILE *out, const char *text);

/* A number in JSON: null for NaN and infinity, else the shortest digits that read back the same. */
void print_json_real(FILE *out, double value);
