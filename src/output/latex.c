#include "output/latex.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "output/digits.h"
#include "output/heads.h"

/* A column as it is printed: `text[r]` is a number as siunitx reads it, or words; owned. NULL: missing. */
struct printed {
    struct head head;
    bool number, bytes; /* bytes: 64MiB */
    char **text;
    int whole, decimals, uncertain; /* most digits before and after the point, and in parentheses */
};

void latex_print_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("#$%&_{}", *text))
            fprintf(out, "\\%c", *text);
        else if (*text == '~')
            fputs("\\textasciitilde{}", out);
        else if (*text == '^')
            fputs("\\textasciicircum{}", out);
        else if (*text == '\\')
            fputs("\\textbackslash{}", out);
        else if (*text == '-' && text[1] == '-')
            fputs("-{}", out); /* no dash of TeX's */
        else if (*text == '<' || *text == '>')
            fprintf(out, "$%c$", *text);
        else if (*text == '\n' || *text == '\r' || *text == '\t')
            fputc(' ', out);
        else
            fputc(*text, out);
    }
}

/* ---- Numbers ---- */

/* Half the width of the interval of a row's value; NaN when there is none. */
static double half_width(const struct view *view, const struct view_column *column, size_t row)
{
    return column->of_device ? NAN : heads_half_width(&view->dataset->results, column->name, row);
}

void latex_format_number(double value, double half, char *out, size_t size)
{
    int decimals = digits_decimals(value, half);
    size_t length = (size_t)snprintf(out, size, "%.*f", decimals, value);
    if (half > 0 && length < size)
        snprintf(out + length, size - length, "(%.0f)", half * pow(10, decimals));
}

static void put_number(struct printed *printed, size_t r, double value, double half)
{
    char text[120];
    latex_format_number(value, half, text, sizeof text);
    int decimals = digits_decimals(value, half), length = (int)strcspn(text, "(");
    int whole = length - decimals - (decimals > 0);
    if (text[length] == '(') {
        int digits = (int)strcspn(text + length + 1, ")");
        if (digits > printed->uncertain)
            printed->uncertain = digits;
    }
    printed->text[r] = memory_text(text);
    if (whole > printed->whole)
        printed->whole = whole;
    if (decimals > printed->decimals)
        printed->decimals = decimals;
}

static void put_integer(struct printed *printed, size_t r, const char *unit, int64_t value)
{
    char text[80];
    if (strcmp(unit, "bytes") != 0) {
        printed->whole = printed->whole ? printed->whole : 1;
        int length = snprintf(text, sizeof text, "%" PRId64, value);
        if (length > printed->whole)
            printed->whole = length;
    } else {
        text_format_bytes(value, text, sizeof text);
        printed->number = false;
        printed->bytes = true;
    }
    printed->text[r] = memory_text(text);
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of what a column holds, which chooses the unit of all of it. */
static double typical(const struct view *view, const struct view_column *column)
{
    double *value = memory_new(view->rows ? view->rows : 1, sizeof *value);
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

static void print_column(const struct view *view, const struct view_column *column, struct printed *printed)
{
    const struct column *header = view_header(view->dataset, column);
    bool real = header->type == COLUMN_REAL;
    *printed = (struct printed){.number = header->type != COLUMN_TEXT,
                                .head = heads_of(header, column->name, real ? typical(view, column) : NAN),
                                .text = memory_new(view->rows ? view->rows : 1, sizeof *printed->text)};
    for (size_t r = 0; r < view->rows; r++) {
        union cell cell = view_cell(view->dataset, view->row[r], column);
        if (frame_is_missing(header, cell))
            continue;
        if (real)
            put_number(printed, r, cell.real / printed->head.scale,
                       half_width(view, column, view->row[r]) / printed->head.scale);
        else if (header->type == COLUMN_INTEGER)
            put_integer(printed, r, header->unit, cell.integer);
        else
            printed->text[r] = memory_text(cell.text);
    }
}

/* ---- The table ---- */

/* Is it the end of an interval whose middle is shown? */
static bool is_told_already(const struct view *view, int index)
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

static void put_format(FILE *out, const struct printed *printed, bool text)
{
    if (text)
        fputc('l', out);
    else if (!printed->number)
        fputc('r', out);
    else if (printed->uncertain)
        fprintf(out, " S[table-format=%d.%d(%d)]", printed->whole, printed->decimals, printed->uncertain);
    else
        fprintf(out, " S[table-format=%d.%d]", printed->whole ? printed->whole : 1, printed->decimals);
}

/* Names, and under them the units: columns of a paper are narrow. */
static void put_heads(FILE *out, const struct printed *printed, int count)
{
    bool units = false;
    for (int i = 0; i < count; i++) {
        fputs(i ? " & {" : "{", out);
        latex_print_text(out, printed[i].head.name);
        fputc('}', out);
        units |= *printed[i].head.unit != '\0';
    }
    for (int i = 0; i < count && units; i++) {
        fputs(i ? " & " : " \\\\\n", out);
        if (*printed[i].head.unit)
            fprintf(out, "{(%s)}", printed[i].head.unit);
    }
    fputs(" \\\\\n\\midrule\n", out);
}

static void put_cell(FILE *out, const struct printed *printed, size_t r)
{
    if (!printed->text[r]) {
        fputs("{---}", out);
    } else if (printed->number) {
        fputs(printed->text[r], out);
    } else if (printed->bytes) {
        size_t digits = strcspn(printed->text[r], "BKMGTPE");
        fprintf(out, "%.*s\\,%s", (int)digits, printed->text[r], printed->text[r] + digits);
    } else {
        latex_print_text(out, printed->text[r]);
    }
}

void latex_print_table(FILE *out, const struct view *view)
{
    struct printed *printed = memory_new((size_t)view->columns + 1, sizeof *printed);
    int count = 0;
    fputs("% needs \\usepackage{booktabs} and \\usepackage{siunitx}\n"
          "{\\sisetup{separate-uncertainty, table-align-uncertainty}%\n\\begin{tabular}{@{}",
          out);
    for (int i = 0; i < view->columns; i++) {
        if (is_told_already(view, i))
            continue;
        print_column(view, &view->column[i], &printed[count]);
        put_format(out, &printed[count], view_header(view->dataset, &view->column[i])->type == COLUMN_TEXT);
        count++;
    }
    fputs("@{}}\n\\toprule\n", out);
    put_heads(out, printed, count);
    for (size_t r = 0; r < view->rows; r++)
        for (int i = 0; i < count; i++) {
            put_cell(out, &printed[i], r);
            fputs(i + 1 < count ? " & " : " \\\\\n", out);
        }
    fputs("\\bottomrule\n\\end{tabular}}\n", out);
    for (int i = 0; i < count; i++) {
        for (size_t r = 0; r < view->rows; r++)
            free(printed[i].text[r]);
        free(printed[i].text);
    }
    free(printed);
}
