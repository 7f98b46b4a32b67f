#include "output/sheet.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/html.h"
#include "output/latex.h"

#define NUMBER_SIZE 96

static char *format_text(const char *format, va_list arguments)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, arguments);
    return memory_text(text);
}

struct sheet sheet_new(const char *name, bool wide)
{
    struct sheet sheet = {.wide = wide};
    snprintf(sheet.name, sizeof sheet.name, "%s", name);
    return sheet;
}

void sheet_free(struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->cells; i++)
        free(sheet->cell[i].text);
    free(sheet->cell);
    free(sheet->caption);
    *sheet = (struct sheet){0};
}

size_t sheet_rows(const struct sheet *sheet)
{
    return sheet->columns ? sheet->cells / (size_t)sheet->columns : 0;
}

void sheet_caption(struct sheet *sheet, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    free(sheet->caption);
    sheet->caption = format_text(format, arguments);
    va_end(arguments);
}

void sheet_head(struct sheet *sheet, enum sheet_kind kind, const char *unit, const char *format, ...)
{
    va_list arguments;
    if (sheet->columns == SHEET_COLUMNS_MAX)
        return;
    struct sheet_head *head = &sheet->head[sheet->columns++];
    *head = (struct sheet_head){.kind = kind, .unit = unit};
    va_start(arguments, format);
    vsnprintf(head->name, sizeof head->name, format, arguments);
    va_end(arguments);
}

static struct sheet_cell *add_cell(struct sheet *sheet)
{
    sheet->cell = memory_grow(sheet->cell, sheet->cells, &sheet->capacity, sizeof *sheet->cell);
    sheet->cell[sheet->cells] = (struct sheet_cell){.value = NAN, .half = NAN};
    return &sheet->cell[sheet->cells++];
}

void sheet_text(struct sheet *sheet, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments);
    va_end(arguments);
    add_cell(sheet)->text = text;
}

void sheet_number(struct sheet *sheet, double value, double half)
{
    struct sheet_cell *cell = add_cell(sheet);
    cell->value = value;
    cell->half = half;
}

static const struct sheet_cell *cell_at(const struct sheet *sheet, size_t row, int column)
{
    return &sheet->cell[row * (size_t)sheet->columns + (size_t)column];
}

static bool is_missing(const struct sheet_cell *cell)
{
    return !cell->text && !isfinite(cell->value);
}

static bool is_number(const struct sheet_head *head)
{
    return head->kind == SHEET_NUMBER || head->kind == SHEET_COUNT;
}

/* As siunitx reads it: 4299(4). */
static void format_number(const struct sheet_head *head, const struct sheet_cell *cell, char *out,
                          size_t size)
{
    if (head->kind == SHEET_COUNT)
        snprintf(out, size, "%.0f", cell->value);
    else
        latex_format_number(cell->value, cell->half, out, size);
}

/* ---- LaTeX ---- */

/* The digits of a column before and after the point and of uncertainties, at most. */
struct digits {
    int whole, decimals, uncertain;
};

static struct digits digits_of(const struct sheet *sheet, int column, size_t first, size_t end)
{
    struct digits most = {1, 0, 0};
    for (size_t row = first; row < end; row++) {
        const struct sheet_cell *cell = cell_at(sheet, row, column);
        char number[NUMBER_SIZE];
        if (cell->text || is_missing(cell))
            continue;
        format_number(&sheet->head[column], cell, number, sizeof number);
        int whole = (int)strcspn(number, ".("), decimals = 0, uncertain = 0;
        if (number[whole] == '.')
            decimals = (int)strcspn(number + whole + 1, "(");
        if (strchr(number, '('))
            uncertain = (int)strcspn(strchr(number, '(') + 1, ")");
        most.whole = whole > most.whole ? whole : most.whole;
        most.decimals = decimals > most.decimals ? decimals : most.decimals;
        most.uncertain = uncertain > most.uncertain ? uncertain : most.uncertain;
    }
    return most;
}

static bool wraps(const struct sheet *sheet)
{
    for (int i = 0; i < sheet->columns; i++)
        if (sheet->head[i].kind == SHEET_WRAPS)
            return true;
    return false;
}

static void put_columns(FILE *out, const struct sheet *sheet, size_t first, size_t end)
{
    for (int i = 0; i < sheet->columns; i++) {
        struct digits digits = digits_of(sheet, i, first, end);
        if (sheet->head[i].kind == SHEET_WORDS)
            fputc('l', out);
        else if (sheet->head[i].kind == SHEET_RIGHT)
            fputc('r', out);
        else if (sheet->head[i].kind == SHEET_WRAPS)
            fputs(">{\\raggedright\\arraybackslash\\hangindent=0.8em}X", out);
        else if (digits.uncertain)
            fprintf(out, "S[table-format=%d.%d(%d)]", digits.whole, digits.decimals, digits.uncertain);
        else
            fprintf(out, "S[table-format=%d.%d]", digits.whole, digits.decimals);
    }
}

/* ---- How many lines it takes ---- */

#define LETTER 4.3   /* pt, of footnotesize: wider than most */
#define GAP    7.0   /* pt, between columns */
#define ONE    245.0 /* pt: one column of a paper */
#define TWO    505.0

static double length_of(const char *text)
{
    double letters = 0;
    for (; *text; text++)
        letters += ((unsigned char)*text & 0xc0U) != 0x80U;
    return letters;
}

/* Width of a column that does not wrap. */
static double width_of(const struct sheet *sheet, int column)
{
    struct digits digits = digits_of(sheet, column, 0, sheet_rows(sheet));
    double most = length_of(sheet->head[column].name);
    if (is_number(&sheet->head[column]))
        most = fmax(most, digits.whole + 1 + digits.decimals +
                              (digits.uncertain ? 4 + digits.uncertain + digits.decimals : 0));
    for (size_t row = 0; row < sheet_rows(sheet); row++)
        if (cell_at(sheet, row, column)->text)
            most = fmax(most, length_of(cell_at(sheet, row, column)->text));
    return most * LETTER + GAP;
}

size_t sheet_fit(const struct sheet *sheet, size_t first, int lines)
{
    double left = sheet->wide ? TWO : ONE;
    int wrapping = 0;
    size_t row = first;
    for (int i = 0; i < sheet->columns; i++) {
        wrapping += sheet->head[i].kind == SHEET_WRAPS;
        left -= sheet->head[i].kind == SHEET_WRAPS ? GAP : width_of(sheet, i);
    }
    double letters = wrapping ? fmax(6, left / wrapping / LETTER) : 0;
    for (; row < sheet_rows(sheet) && (lines > 0 || row == first); row++) {
        double most = 1;
        for (int i = 0; i < sheet->columns; i++)
            if (sheet->head[i].kind == SHEET_WRAPS && cell_at(sheet, row, i)->text)
                most = fmax(most, ceil(1.15 * length_of(cell_at(sheet, row, i)->text) / letters));
        lines -= (int)most;
        if (lines < 0 && row > first)
            break;
    }
    return row - first;
}

static void put_latex_unit(FILE *out, const char *unit)
{
    static const struct {
        const char *plain, *latex;
    } units[] = {
        {"us", "\\si{\\micro\\second}"}, {"ms", "\\si{\\milli\\second}"}, {"ns", "\\si{\\nano\\second}"}};
    if (!*unit)
        return;
    fputc('(', out);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(units[i].plain, unit)) {
            fprintf(out, "%s)", units[i].latex);
            return;
        }
    latex_print_text(out, unit);
    fputc(')', out);
}

static void put_latex_heads(FILE *out, const struct sheet *sheet)
{
    bool units = false;
    for (int i = 0; i < sheet->columns; i++) {
        fputs(i ? " & {" : "{", out);
        latex_print_text(out, sheet->head[i].name);
        fputc('}', out);
        units = units || *sheet->head[i].unit;
    }
    for (int i = 0; i < sheet->columns && units; i++) {
        fputs(i ? " & {" : " \\\\\n{", out);
        put_latex_unit(out, sheet->head[i].unit);
        fputc('}', out);
    }
    fputs(" \\\\\n\\midrule\n", out);
}

static void put_latex_cell(FILE *out, const struct sheet_head *head, const struct sheet_cell *cell)
{
    char number[NUMBER_SIZE];
    if (is_missing(cell)) {
        fputs(is_number(head) ? "{---}" : "---", out);
    } else if (cell->text) {
        fputs(is_number(head) ? "{" : "", out);
        latex_print_text(out, cell->text);
        fputs(is_number(head) ? "}" : "", out);
    } else {
        format_number(head, cell, number, sizeof number);
        fputs(number, out);
    }
}

void sheet_print_latex(FILE *out, const struct sheet *sheet, size_t first, size_t count)
{
    bool fills = wraps(sheet);
    size_t rows = sheet_rows(sheet), end = first + count < rows ? first + count : rows;
    fputs("% needs \\usepackage{array,booktabs,siunitx,tabularx}\n"
          "{\\sisetup{separate-uncertainty, table-align-uncertainty}%\n",
          out);
    fputs(fills ? "\\begin{tabularx}{\\linewidth}{@{}" : "\\begin{tabular}{@{}", out);
    put_columns(out, sheet, first, end);
    fputs("@{}}\n\\toprule\n", out);
    put_latex_heads(out, sheet);
    for (size_t row = first; row < end; row++)
        for (int i = 0; i < sheet->columns; i++) {
            put_latex_cell(out, &sheet->head[i], cell_at(sheet, row, i));
            fputs(i + 1 < sheet->columns ? " & " : " \\\\\n", out);
        }
    fputs(fills ? "\\bottomrule\n\\end{tabularx}}\n" : "\\bottomrule\n\\end{tabular}}\n", out);
}

/* ---- HTML ---- */

/* The uncertainty of 4293(7) is 7, that of 0.429(12) is 0.012: as siunitx prints them. Without one 0. */
static double uncertainty_of(const char *number, int *decimals)
{
    size_t length = strcspn(number, "("), point = strcspn(number, ".");
    *decimals = point < length ? (int)(length - point - 1) : 0;
    return number[length] ? strtod(number + length + 1, NULL) / pow(10, *decimals) : 0;
}

void sheet_format_plain(double value, double half, char *out, size_t size)
{
    int decimals;
    latex_format_number(value, half, out, size);
    double uncertain = uncertainty_of(out, &decimals);
    size_t length = strcspn(out, "(");
    if (uncertain > 0)
        snprintf(out + length, size - length, " ± %.*f", decimals, uncertain);
}

static void put_html_number(FILE *out, const char *number)
{
    int decimals;
    double uncertain = uncertainty_of(number, &decimals);
    fprintf(out, "%.*s", (int)strcspn(number, "("), number);
    if (uncertain > 0)
        fprintf(out, "<small> ±&#8239;%.*f</small>", decimals, uncertain);
}

static void put_html_cell(FILE *out, const struct sheet_head *head, const struct sheet_cell *cell, bool first)
{
    const char *tag = first ? "th" : "td";
    char number[NUMBER_SIZE];
    fprintf(out, first ? "<th scope=\"row\"" : "<td");
    if (is_number(head) || head->kind == SHEET_RIGHT)
        fputs(" class=\"n\"", out);
    if (!cell->text && !is_missing(cell)) {
        format_number(head, cell, number, sizeof number);
        fprintf(out, " data-v=\"%.9g\">", cell->value);
        put_html_number(out, number);
    } else {
        fputc('>', out);
        html_print_text(out, is_missing(cell) ? "—" : cell->text);
    }
    fprintf(out, "</%s>", tag);
}

void sheet_print_html(FILE *out, const struct sheet *sheet, size_t most)
{
    fprintf(out, "<table class=\"sort\" id=\"t-%s\">\n<caption>", sheet->name);
    html_print_text(out, sheet->caption ? sheet->caption : "");
    fputs("</caption>\n<thead><tr>", out);
    for (int i = 0; i < sheet->columns; i++) {
        const struct sheet_head *head = &sheet->head[i];
        bool right = is_number(head) || head->kind == SHEET_RIGHT;
        fprintf(out, "<th scope=\"col\"%s>", right ? " class=\"n\"" : "");
        html_print_text(out, head->name);
        if (*head->unit) {
            fputs(" <span class=\"u\">", out);
            html_print_text(out, !strcmp(head->unit, "us") ? "µs" : head->unit);
            fputs("</span>", out);
        }
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t row = 0; row < sheet_rows(sheet) && row < most; row++) {
        fputs("<tr>", out);
        for (int i = 0; i < sheet->columns; i++)
            put_html_cell(out, &sheet->head[i], cell_at(sheet, row, i), i == 0);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}
