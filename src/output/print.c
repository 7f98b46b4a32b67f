#include "output/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/digits.h"
#include "output/heads.h"
#include "output/latex.h"

const char *const print_formats[] = {"tsv", "csv", "json", "jsonl", "md", "latex", NULL};

enum print_format print_format_named(const char *word)
{
    int format = 0;
    while (strcmp(print_formats[format], word) != 0)
        format++;
    return (enum print_format)format;
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

/* RFC 4180: quoted when it has to be, quotes doubled. */
static void put_csv_text(FILE *out, const char *text)
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
            put_csv_text(out, cell.text);
    } else if (frame_is_missing(column, cell)) {
        fputs("nan", out);
    } else if (column->type == COLUMN_INTEGER) {
        fprintf(out, "%" PRId64, cell.integer);
    } else {
        format_real(cell.real, number, sizeof number);
        fputs(number, out);
    }
}

void print_plain(FILE *out, const struct column *column, union cell cell)
{
    put_plain(out, column, cell, true);
}

static void print_separated(FILE *out, const struct view *view, bool tabs)
{
    char separator = tabs ? '\t' : ',';
    for (int i = 0; i < view->columns; i++)
        fprintf(out, "%s%c", view->column[i].name, i + 1 < view->columns ? separator : '\n');
    for (size_t r = 0; r < view->rows; r++) {
        for (int i = 0; i < view->columns; i++) {
            put_plain(out, view_header(view->dataset, &view->column[i]),
                      view_cell(view->dataset, view->row[r], &view->column[i]), tabs);
            fputc(i + 1 < view->columns ? separator : '\n', out);
        }
    }
}

/* ---- json ---- */

static void put_json_text(FILE *out, const char *text)
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

static void put_json(FILE *out, const struct column *column, union cell cell)
{
    char number[64];
    if (frame_is_missing(column, cell) || (column->type == COLUMN_REAL && !isfinite(cell.real))) {
        fputs("null", out); /* JSON has no infinity either */
    } else if (column->type == COLUMN_TEXT) {
        put_json_text(out, cell.text);
    } else if (column->type == COLUMN_INTEGER) {
        fprintf(out, "%" PRId64, cell.integer);
    } else {
        format_real(cell.real, number, sizeof number);
        fputs(number, out);
    }
}

static void print_json_row(FILE *out, const struct view *view, size_t row)
{
    fputc('{', out);
    for (int i = 0; i < view->columns; i++) {
        fputs(i ? ", " : "", out);
        put_json_text(out, view->column[i].name);
        fputs(": ", out);
        put_json(out, view_header(view->dataset, &view->column[i]),
                 view_cell(view->dataset, row, &view->column[i]));
    }
    fputc('}', out);
}

static void print_json(FILE *out, const struct view *view)
{
    fputc('[', out);
    for (size_t r = 0; r < view->rows; r++) {
        fputs(r ? ",\n " : "\n ", out);
        print_json_row(out, view, view->row[r]);
    }
    fputs("\n]\n", out);
}

/* A row a line (jsonlines.org). */
static void print_json_lines(FILE *out, const struct view *view)
{
    for (size_t r = 0; r < view->rows; r++) {
        print_json_row(out, view, view->row[r]);
        fputc('\n', out);
    }
}

/* ---- md ---- */

static void format_scaled(double value, const char *unit, char *out, size_t size)
{
    if (!strcmp(unit, "s"))
        text_format_seconds(value, out, size);
    else if (!strcmp(unit, "bytes") && value == floor(value) && fabs(value) < 0x1p62)
        text_format_bytes((int64_t)value, out, size);
    else if (!strcmp(unit, "bytes/s"))
        snprintf(out, size, "%.4g GB/s", value / 1e9);
    else if (!strcmp(unit, "flop/s"))
        snprintf(out, size, "%.4g GFLOP/s", value / 1e9);
    else if (!strcmp(unit, "Hz"))
        snprintf(out, size, "%.4g MHz", value / 1e6);
    else
        snprintf(out, size, "%.4g%s%s", value, *unit ? " " : "", unit);
}

void print_human(const struct column *column, union cell cell, char *out, size_t size)
{
    if (frame_is_missing(column, cell))
        snprintf(out, size, "—");
    else if (column->type == COLUMN_TEXT)
        snprintf(out, size, "%s", cell.text);
    else if (column->type == COLUMN_INTEGER && !strcmp(column->unit, "bytes"))
        text_format_bytes(cell.integer, out, size);
    else if (column->type == COLUMN_INTEGER)
        snprintf(out, size, "%" PRId64, cell.integer);
    else
        format_scaled(cell.real, column->unit, out, size);
}

void print_md_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (strchr("|\\`*_<>[]", *text))
            fprintf(out, "\\%c", *text);
        else if (*text == '\n' || *text == '\r' || *text == '\t')
            fputc(' ', out);
        else
            fputc(*text, out);
    }
}

/* "4299 ± 4 GB/s" */
static void format_uncertain(double value, double half, const char *unit, char *out, size_t size)
{
    static const struct {
        const char *of, *unit;
        double scale;
    } units[] = {{"s", "s", 1},      {"s", "ms", 1e-3},        {"s", "us", 1e-6},
                 {"s", "ns", 1e-9},  {"bytes/s", "GB/s", 1e9}, {"flop/s", "GFLOP/s", 1e9},
                 {"Hz", "MHz", 1e6}, {NULL, NULL, 1}};
    char number[80];
    int u = 0;
    while (units[u].of &&
           (strcmp(units[u].of, unit) != 0 ||
            (!strcmp(unit, "s") && fabs(value) < units[u].scale && strcmp(units[u].unit, "ns") != 0)))
        u++;
    digits_format(value / units[u].scale, half / units[u].scale, number, sizeof number);
    snprintf(out, size, "%s%s%s", number, *unit ? " " : "", units[u].of ? units[u].unit : unit);
}

/* Is the interval of a column known, and not beside it in columns of its own? */
static bool is_uncertain(const struct view *view, const struct view_column *column)
{
    int low, high;
    if (column->of_device || !heads_interval(&view->dataset->results, column->name, &low, &high))
        return false;
    for (int i = 0; i < view->columns; i++)
        if (!view->column[i].of_device && (view->column[i].index == low || view->column[i].index == high))
            return false;
    return true;
}

static void put_md(FILE *out, const struct view *view, const struct view_column *shown, size_t row)
{
    char text[1024];
    const struct column *column = view_header(view->dataset, shown);
    union cell cell = view_cell(view->dataset, row, shown);
    double half =
        is_uncertain(view, shown) ? heads_half_width(&view->dataset->results, shown->name, row) : NAN;
    if (frame_is_missing(column, cell)) {
        fputs("—", out);
        return;
    }
    if (half > 0 && column->type == COLUMN_REAL)
        format_uncertain(cell.real, half, column->unit, text, sizeof text);
    else
        print_human(column, cell, text, sizeof text);
    print_md_text(text, out);
}

static void print_md(FILE *out, const struct view *view)
{
    for (int i = 0; i < view->columns; i++) {
        fputs(i ? " | " : "| ", out);
        print_md_text(view->column[i].name, out);
    }
    fputs(" |\n", out);
    for (int i = 0; i < view->columns; i++)
        fputs(view_header(view->dataset, &view->column[i])->type == COLUMN_TEXT ? "|---" : "|---:", out);
    fputs("|\n", out);
    for (size_t r = 0; r < view->rows; r++) {
        for (int i = 0; i < view->columns; i++) {
            fputs(i ? " | " : "| ", out);
            put_md(out, view, &view->column[i], view->row[r]);
        }
        fputs(" |\n", out);
    }
}

void print_view(FILE *out, const struct view *view, enum print_format format)
{
    switch (format) {
    case PRINT_TSV:
    case PRINT_CSV:
        print_separated(out, view, format == PRINT_TSV);
        break;
    case PRINT_JSON:
        print_json(out, view);
        break;
    case PRINT_JSON_LINES:
        print_json_lines(out, view);
        break;
    case PRINT_MD:
        print_md(out, view);
        break;
    case PRINT_LATEX:
        latex_print_table(out, view);
        break;
    }
}
