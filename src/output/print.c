#include "output/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "output/heads.h"
#include "output/mark.h"
#include "output/sheet.h"
#include "output/units.h"
#include "results/throttled.h"
#include "store/store.h"

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
    mark_print(out, MARKUP_TEXT, "# ", "\n");
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

static void print_json_row(FILE *out, const struct view *view, const union cell *cell)
{
    fputc('{', out);
    for (int i = 0; i < view->columns; i++) {
        fputs(i ? ", " : "", out);
        put_json_text(out, view->column[i].name);
        fputs(": ", out);
        put_json(out, view_header(view->dataset, &view->column[i]), cell[i]);
    }
    if (dataset_salvaged()) {
        fprintf(out, "%s\"%s\": ", view->columns ? ", " : "", STORE_SALVAGED);
        put_json_text(out, dataset_salvaged());
    }
    fputc('}', out);
}

static void print_json(FILE *out, const struct view *view)
{
    struct block block = block_of(view);
    fputc('[', out);
    for (size_t r = 0; r < view->rows; r++) {
        fputs(r ? ",\n " : "\n ", out);
        print_json_row(out, view, row_of(view, r, &block));
    }
    fputs("\n]\n", out);
    free(block.cell);
}

/* A row a line (jsonlines.org). */
static void print_json_lines(FILE *out, const struct view *view)
{
    struct block block = block_of(view);
    for (size_t r = 0; r < view->rows; r++) {
        print_json_row(out, view, row_of(view, r, &block));
        fputc('\n', out);
    }
    free(block.cell);
}

/* ---- md, latex ---- */

void print_human(const struct column *column, union cell cell, char *out, size_t size)
{
    const char *unit = column->unit;
    const struct unit *chosen = column->type == COLUMN_REAL ? units_choose(unit, cell.real) : NULL;
    if (frame_is_missing(column, cell))
        snprintf(out, size, "—");
    else if (column->type == COLUMN_TEXT)
        snprintf(out, size, "%s", cell.text);
    else if (column->type == COLUMN_INTEGER && !strcmp(unit, "bytes"))
        text_format_bytes(cell.integer, out, size);
    else if (column->type == COLUMN_INTEGER)
        snprintf(out, size, "%" PRId64, cell.integer);
    else if (!strcmp(unit, "s"))
        text_format_seconds(cell.real, out, size);
    else if (!strcmp(unit, "bytes") && cell.real == floor(cell.real) && fabs(cell.real) < 0x1p62)
        text_format_bytes((int64_t)cell.real, out, size);
    else
        snprintf(out, size, "%.4g%s%s", cell.real / (chosen ? chosen->scale : 1), *unit ? " " : "",
                 chosen ? chosen->name : unit);
}

/* "4299 ± 4 GB/s" */
static void format_uncertain(double value, double half, const char *of, char *out, size_t size)
{
    char number[80];
    const struct unit *unit = units_choose(of, value);
    double scale = unit ? unit->scale : 1;
    units_format(value / scale, half / scale, number, sizeof number);
    snprintf(out, size, "%s%s%s", number, *of ? " " : "", unit ? unit->name : of);
}

/* Whether the columns of an interval are among those that are shown. */
enum ends { NO_INTERVAL, ENDS_SHOWN, ENDS_HIDDEN };

static enum ends ends_of(const struct view *view, const struct view_column *column)
{
    int low, high;
    if (column->of_device || !heads_interval(&view->dataset->results, column->name, &low, &high))
        return NO_INTERVAL;
    for (int i = 0; i < view->columns; i++)
        if (!view->column[i].of_device && (view->column[i].index == low || view->column[i].index == high))
            return ENDS_SHOWN;
    return ENDS_HIDDEN;
}

static double half_of(const struct view *view, const struct view_column *column, size_t row)
{
    return column->of_device ? NAN : heads_half_width(&view->dataset->results, column->name, row);
}

/* Times, and what is divided by them, of a row whose clock was held down. */
static bool is_marked(const struct view *view, const struct view_column *shown, size_t row)
{
    const struct column *column = view_header(view->dataset, shown);
    return !shown->of_device && column->type == COLUMN_REAL &&
           (column->role == ROLE_TIME || column->role == ROLE_RATE) &&
           throttled_row(&view->dataset->results, row);
}

/* Each number in the unit that fits it, with its interval unless that has columns of its own. */
static void print_md(FILE *out, const struct view *view)
{
    struct sheet sheet = sheet_new("", false);
    bool marks = false;
    for (int i = 0; i < view->columns; i++)
        sheet_head(&sheet,
                   view_header(view->dataset, &view->column[i])->type == COLUMN_TEXT ? SHEET_WORDS
                                                                                     : SHEET_RIGHT,
                   "", "%s", view->column[i].name);
    for (size_t r = 0; r < view->rows; r++)
        for (int i = 0; i < view->columns; i++) {
            char text[1024];
            const struct view_column *shown = &view->column[i];
            const struct column *column = view_header(view->dataset, shown);
            union cell cell = view_cell(view->dataset, view->row[r], shown);
            double half = ends_of(view, shown) == ENDS_HIDDEN ? half_of(view, shown, view->row[r]) : NAN;
            if (half > 0 && column->type == COLUMN_REAL && !frame_is_missing(column, cell))
                format_uncertain(cell.real, half, column->unit, text, sizeof text);
            else
                print_human(column, cell, text, sizeof text);
            bool marked = is_marked(view, shown, view->row[r]) && !frame_is_missing(column, cell);
            sheet_text(&sheet, "%s%s", text, marked ? SHEET_DAGGER : "");
            marks = marks || marked;
        }
    mark_print(out, MARKUP_MD, "", "\n\n");
    sheet_print(out, MARKUP_MD, SHEET_PLAIN, &sheet);
    if (marks)
        fprintf(out, "\n" SHEET_DAGGER ": %s.\n", throttled_meaning);
    sheet_free(&sheet);
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the magnitudes that a column holds, which chooses the unit of all of it; NaN when it holds none. */
static double typical(const struct view *view, const struct view_column *column)
{
    double *value = memory_new(view->rows + 1, sizeof *value);
    size_t count = 0;
    for (size_t r = 0; r < view->rows; r++) {
        double one = view_cell(view->dataset, view->row[r], column).real;
        if (isfinite(one))
            value[count++] = fabs(one);
    }
    qsort(value, count, sizeof *value, compare_reals);
    double median = count ? value[count / 2] : NAN;
    free(value);
    return median;
}

/* Is it the end of an interval whose middle is shown? 4299(4) has it already. */
static bool is_end(const struct view *view, int index)
{
    for (int i = 0; i < view->columns; i++) {
        int low, high;
        if (i != index && !view->column[i].of_device && !view->column[index].of_device &&
            heads_interval(&view->dataset->results, view->column[i].name, &low, &high) &&
            (view->column[index].index == low || view->column[index].index == high))
            return true;
    }
    return false;
}

static void add_head(struct sheet *sheet, const struct view *view, const struct view_column *shown,
                     double *scale)
{
    const struct column *column = view_header(view->dataset, shown);
    bool real = column->type == COLUMN_REAL, bytes = !strcmp(column->unit, "bytes");
    struct head head = heads_of(column, shown->name, real ? typical(view, shown) : NAN);
    enum sheet_kind kind = real                          ? SHEET_NUMBER
                           : column->type == COLUMN_TEXT ? SHEET_WORDS
                           : bytes                       ? SHEET_BYTES
                                                         : SHEET_COUNT;
    sheet_head(sheet, kind, head.unit, "%s", head.name);
    *scale = head.scale;
}

static void add_cell(struct sheet *sheet, const struct view *view, const struct view_column *shown,
                     size_t row, double scale)
{
    const struct column *column = view_header(view->dataset, shown);
    union cell cell = view_cell(view->dataset, row, shown);
    char text[1024];
    print_human(column, cell, text, sizeof text);
    if (frame_is_missing(column, cell))
        sheet_number(sheet, NAN, NAN);
    else if (column->type == COLUMN_REAL)
        sheet_number(sheet, cell.real / scale, half_of(view, shown, row) / scale);
    else if (column->type == COLUMN_INTEGER && strcmp(column->unit, "bytes") != 0)
        sheet_integer(sheet, cell.integer);
    else
        sheet_text(sheet, "%s", column->type == COLUMN_TEXT ? cell.text : text);
    if (is_marked(view, shown, row) && !frame_is_missing(column, cell))
        sheet_dagger(sheet);
}

static void print_latex(FILE *out, const struct view *view)
{
    struct sheet sheet = sheet_new("", false);
    int *shown = memory_new((size_t)view->columns + 1, sizeof *shown), count = 0;
    double *scale = memory_new((size_t)view->columns + 1, sizeof *scale);
    for (int i = 0; i < view->columns; i++)
        if (!is_end(view, i)) {
            add_head(&sheet, view, &view->column[i], &scale[count]);
            shown[count++] = i;
        }
    for (size_t r = 0; r < view->rows; r++)
        for (int i = 0; i < count; i++)
            add_cell(&sheet, view, &view->column[shown[i]], view->row[r], scale[i]);
    mark_print(out, MARKUP_LATEX, "\\textbf{", "}\n\n");
    sheet_print(out, MARKUP_LATEX, SHEET_ALONE, &sheet);
    if (sheet_has_daggers(&sheet))
        fprintf(out, "\\par\\footnotesize\\textsuperscript{\\dag} %s.\n", throttled_meaning);
    sheet_free(&sheet);
    free(shown);
    free(scale);
}

static void print_tsv(FILE *out, const struct view *view)
{
    print_separated(out, view, true);
}

static void print_csv(FILE *out, const struct view *view)
{
    print_separated(out, view, false);
}

void print_view(FILE *out, const struct view *view, enum print_format format)
{
    static void (*const writers[])(FILE *, const struct view *) = {
        [PRINT_TSV] = print_tsv,   [PRINT_CSV] = print_csv,
        [PRINT_JSON] = print_json, [PRINT_JSON_LINES] = print_json_lines,
        [PRINT_MD] = print_md,     [PRINT_LATEX] = print_latex,
    };
    writers[format](out, view);
}
