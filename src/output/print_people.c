#include "output/print_people.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/heads.h"
#include "output/mark.h"
#include "output/sheet.h"
#include "table/units.h"
#include "table/print.h"
#include "table/print_text.h"
#include "table/throttled.h"
#include "statistics/quantile.h"

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

/* Is it a share that people read in percent? */
static bool is_share(const struct column *column)
{
    return column->type == COLUMN_REAL && !strncmp(column->name, "fraction_", strlen("fraction_"));
}

/* A cell in the unit that fits it, with its interval if `half` is known. Shares are in percent on a terminal. */
static void format_scaled(const struct column *column, union cell cell, double half, bool terminal, char *out,
                          size_t size)
{
    char number[80];
    bool missing = frame_is_missing(column, cell);
    if (!missing && terminal && is_share(column)) {
        if (half > 0)
            units_format(100 * cell.real, 100 * half, number, sizeof number);
        else
            snprintf(number, sizeof number, "%.1f", 100 * cell.real);
        snprintf(out, size, "%s %%", number);
    } else if (half > 0 && column->type == COLUMN_REAL && !missing) {
        format_uncertain(cell.real, half, column->unit, out, size);
    } else {
        print_human(column, cell, out, size);
    }
}

static enum tone tone_of_cell(const struct column *column, union cell cell)
{
    if (frame_is_missing(column, cell))
        return TONE_QUIET;
    if (column->type == COLUMN_TEXT)
        return tone_of_word(cell.text);
    return is_share(column) ? tone_of_share(cell.real) : TONE_PLAIN;
}

/* Fill a sheet whose cells carry their own units. On a terminal an interval is printed beside its middle only, and cells
 * have tones. Returns whether any cell has a dagger. */
static bool fill_scaled(struct sheet *sheet, const struct view *view, bool terminal)
{
    int *shown = memory_new((size_t)view->columns + 1, sizeof *shown), count = 0;
    bool marks = false;
    for (int i = 0; i < view->columns; i++) {
        bool words = view_header(view->dataset, &view->column[i])->type == COLUMN_TEXT;
        if (terminal && is_end(view, i))
            continue;
        sheet_head(sheet, words ? SHEET_WORDS : SHEET_RIGHT, "", "%s", view->column[i].name);
        shown[count++] = i;
    }
    for (size_t r = 0; r < view->rows; r++)
        for (int i = 0; i < count; i++) {
            char text[1024], clean[1024];
            const struct view_column *column = &view->column[shown[i]];
            const struct column *header = view_header(view->dataset, column);
            union cell cell = view_cell(view->dataset, view->row[r], column);
            bool alone = terminal || ends_of(view, column) == ENDS_HIDDEN;
            format_scaled(header, cell, alone ? half_of(view, column, view->row[r]) : NAN, terminal, text,
                          sizeof text);
            bool marked = is_marked(view, column, view->row[r]) && !frame_is_missing(header, cell);
            if (terminal)
                clean_text(text, clean, sizeof clean);
            sheet_text(sheet, "%s%s", terminal ? clean : text, marked ? SHEET_DAGGER : "");
            marks = marks || marked;
            if (terminal)
                sheet_tone(sheet, tone_of_cell(header, cell));
        }
    free(shown);
    return marks;
}

static void print_scaled(FILE *out, const struct view *view, bool terminal)
{
    struct sheet sheet = sheet_new("", false);
    enum markup markup = terminal ? MARKUP_TEXT : MARKUP_MD;
    bool marks = fill_scaled(&sheet, view, terminal);
    mark_print(out, markup, "", "\n\n");
    sheet_print(out, markup, SHEET_PLAIN, &sheet);
    if (marks)
        fprintf(out, "\n" SHEET_DAGGER ": %s.\n", throttled_meaning);
    sheet_free(&sheet);
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
    quantile_sort(value, count);
    double median = count ? value[count / 2] : NAN;
    free(value);
    return median;
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

const char *const people_formats[] = {"text", "tsv", "csv", "json", "jsonl", "md", "latex", NULL};

void people_print(FILE *out, const struct view *view, const char *format)
{
    if (format && !strcmp(format, "latex"))
        print_latex(out, view);
    else if (format && !strcmp(format, "md"))
        print_scaled(out, view, false);
    else
        print_view(out, view, print_format_named(format));
}
