#include "table/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "store/store.h"
#include "table/print_text.h"

const char *const print_formats[] = {"text", "tsv", "csv", "json", "jsonl", NULL};

enum print_format print_format_named(const char *word)
{
    if (!word)
        return isatty(STDOUT_FILENO) ? PRINT_TEXT : PRINT_TSV;
    return (enum print_format)text_find(print_formats, word);
}

/* The shortest text that reads back as the same double. */
static void format_real(double value, char *out, size_t size)
{
    if (isnan(value)) {
        snprintf(out, size, "nan");
        return;
    }
    for (int digits = 9; digits <= 17; digits += digits == 9 ? 6 : 1) {
        snprintf(out, size, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            return;
    }
}

/* ---- tsv, csv ---- */

static void put_tsv_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\t')
            fputs("\\t", out);
        else if (*text == '\n')
            fputs("\\n", out);
        else if (*text == '\r')
            fputs("\\r", out);
        else if (*text == '\\')
            fputs("\\\\", out);
        else
            fputc(*text, out);
    }
}

static void print_csv_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_plain(FILE *out, const struct column *column, union cell cell, bool tabs)
{
    char number[64];
    if (column->type == COLUMN_TEXT) {
        if (tabs)
            put_tsv_text(out, cell.text);
        else
            print_csv_text(out, cell.text);
    } else if (frame_is_missing(column, cell)) {
        fputs("nan", out);
    } else if (column->type == COLUMN_INTEGER) {
        fprintf(out, "%" PRId64, cell.integer);
    } else {
        format_real(cell.real, number, sizeof number);
        fputs(number, out);
    }
}

/* The shown cells of some rows. They are gathered column by column, because cells of a row may be far apart in memory, and
 * rows that are sorted, too. */
struct block {
    union cell *cell; /* owned */
    size_t first, rows, room;
};

static struct block block_of(const struct view *view)
{
    enum { CELLS = 1 << 22 };
    struct block block = {.room = CELLS / (size_t)(view->columns ? view->columns : 1) + 1};
    if (block.room > view->rows)
        block.room = view->rows;
    block.cell = memory_new(block.room * (size_t)view->columns + 1, sizeof *block.cell);
    return block;
}

static void gather(const struct view *view, size_t first, struct block *block)
{
    size_t left = view->rows - first;
    block->first = first;
    block->rows = left < block->room ? left : block->room;
    for (int i = 0; i < view->columns; i++) {
        for (size_t r = 0; r < block->rows; r++)
            block->cell[r * (size_t)view->columns + (size_t)i] =
                view_cell(view->dataset, view->row[first + r], &view->column[i]);
        dataset_evict(view->dataset);
    }
}

/* The cells of a row of the view; rows are asked for in order. */
static const union cell *row_of(const struct view *view, size_t r, struct block *block)
{
    if (r >= block->first + block->rows)
        gather(view, r, block);
    return block->cell + (r - block->first) * (size_t)view->columns;
}

static void print_separated(FILE *out, const struct view *view, bool tabs)
{
    struct block block = block_of(view);
    char separator = tabs ? '\t' : ',';
    if (dataset_salvaged())
        fprintf(out, "# Not verified: %s.\n", dataset_salvaged());
    for (int i = 0; i < view->columns; i++)
        fprintf(out, "%s%c", view->column[i].name, i + 1 < view->columns ? separator : '\n');
    for (size_t r = 0; r < view->rows; r++) {
        const union cell *cell = row_of(view, r, &block);
        for (int i = 0; i < view->columns; i++) {
            put_plain(out, view_header(view->dataset, &view->column[i]), cell[i], tabs);
            fputc(i + 1 < view->columns ? separator : '\n', out);
        }
    }
    free(block.cell);
}

/* ---- json ---- */

static void print_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", *text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

static void print_json_real(FILE *out, double value)
{
    char number[64];
    format_real(value, number, sizeof number);
    fputs(isfinite(value) ? number : "null", out); /* JSON has no infinity either */
}

static void put_json(FILE *out, const struct column *column, union cell cell)
{
    if (frame_is_missing(column, cell)) {
        fputs("null", out);
    } else if (column->type == COLUMN_TEXT) {
        print_json_text(out, cell.text);
    } else if (column->type == COLUMN_INTEGER) {
        fprintf(out, "%" PRId64, cell.integer);
    } else {
        print_json_real(out, cell.real);
    }
}

static void print_json_row(FILE *out, const struct view *view, const union cell *cell)
{
    fputc('{', out);
    for (int i = 0; i < view->columns; i++) {
        fputs(i ? ", " : "", out);
        print_json_text(out, view->column[i].name);
        fputs(": ", out);
        put_json(out, view_header(view->dataset, &view->column[i]), cell[i]);
    }
    if (dataset_salvaged()) {
        fprintf(out, "%s\"%s\": ", view->columns ? ", " : "", STORE_SALVAGED);
        print_json_text(out, dataset_salvaged());
    }
    fputc('}', out);
}

/* `list`: one list of all rows, else a row a line (jsonlines.org). */
static void print_json(FILE *out, const struct view *view, bool list)
{
    struct block block = block_of(view);
    fputs(list ? "[" : "", out);
    for (size_t r = 0; r < view->rows; r++) {
        fputs(!list ? "" : r ? ",\n " : "\n ", out);
        print_json_row(out, view, row_of(view, r, &block));
        fputs(list ? "" : "\n", out);
    }
    fputs(list ? "\n]\n" : "", out);
    free(block.cell);
}

void print_view(FILE *out, const struct view *view, enum print_format format)
{
    if (format == PRINT_TSV || format == PRINT_CSV)
        print_separated(out, view, format == PRINT_TSV);
    else if (format == PRINT_JSON || format == PRINT_JSON_LINES)
        print_json(out, view, format == PRINT_JSON);
    else
        print_text(out, view);
}
