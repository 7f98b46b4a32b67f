#include "output/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/terminal.h"
#include "table/units.h"

#define NUMBER_SIZE 96

/* What is written: rows from `first` to before `end`. */
struct job {
    FILE *out;
    bool colours; /* of MARKUP_TEXT */
    const struct sheet *sheet;
    enum sheet_frame frame;
    size_t first, end;
};

static bool is_right(const struct sheet_head *head)
{
    return head->kind == SHEET_RIGHT || head->kind == SHEET_BYTES || sheet_is_number(head);
}

static bool has_kind(const struct sheet *sheet, enum sheet_kind kind)
{
    for (int i = 0; i < sheet->columns; i++)
        if (sheet->head[i].kind == kind)
            return true;
    return false;
}

/* A cell as people read it: 4293 ± 7. */
static void format_cell(const struct sheet_head *head, const struct sheet_cell *cell, char *number,
                        const char **text)
{
    *text = cell->text ? cell->text : number;
    if (sheet_is_missing(cell))
        *text = "—";
    else if (!cell->text && head->kind == SHEET_COUNT)
        sheet_format_number(head, cell, number, NUMBER_SIZE);
    else if (!cell->text)
        units_format(cell->value, cell->half, number, NUMBER_SIZE);
    if (cell->dagger && *text == number)
        strncat(number, SHEET_DAGGER, NUMBER_SIZE - strlen(number) - 1);
}

/* ---- Text: columns as wide as their widest cell ---- */

/* Characters, not bytes: those that begin a UTF-8 sequence. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void put_aligned(const struct job *job, int column, int width, enum tone tone, const char *text)
{
    bool last = column + 1 == job->sheet->columns, right = is_right(&job->sheet->head[column]);
    int pad = width - width_of(text);
    fprintf(job->out, "%*s%*s%s%s%s%*s%s", column ? 0 : job->sheet->indent, "", right ? pad : 0, "",
            tone_begin(tone, job->colours), text, tone_end(tone, job->colours), last || right ? 0 : pad, "",
            last ? "\n" : "  ");
}

static void print_text(const struct job *job)
{
    const struct sheet *sheet = job->sheet;
    int *width = memory_new((size_t)sheet->columns + 1, sizeof *width);
    bool heads = false;
    for (int pass = 0; pass < 2; pass++) { /* to measure, to write */
        for (int i = 0; i < sheet->columns && pass && heads; i++)
            put_aligned(job, i, width[i], TONE_HEAD, sheet->head[i].name);
        for (int i = 0; i < sheet->columns && !pass; i++) {
            width[i] = width_of(sheet->head[i].name);
            heads |= width[i] > 0;
        }
        for (size_t row = job->first; row < job->end; row++)
            for (int i = 0; i < sheet->columns; i++) {
                char number[NUMBER_SIZE];
                const char *text;
                const struct sheet_cell *cell = sheet_cell_at(sheet, row, i);
                format_cell(&sheet->head[i], cell, number, &text);
                if (pass)
                    put_aligned(job, i, width[i], cell->tone, text);
                else if (width_of(text) > width[i])
                    width[i] = width_of(text);
            }
    }
    free(width);
}

/* ---- Markdown ---- */

static void print_md(const struct job *job)
{
    const struct sheet *sheet = job->sheet;
    for (int i = 0; i < sheet->columns; i++) {
        fputs(i ? " | " : "| ", job->out);
        markup_print(job->out, MARKUP_MD, sheet->head[i].name);
    }
    fputs(" |\n", job->out);
    for (int i = 0; i < sheet->columns; i++)
        fputs(is_right(&sheet->head[i]) ? "|---:" : "|---", job->out);
    fputs("|\n", job->out);
    for (size_t row = job->first; row < job->end; row++) {
        for (int i = 0; i < sheet->columns; i++) {
            char number[NUMBER_SIZE];
            const char *text;
            format_cell(&sheet->head[i], sheet_cell_at(sheet, row, i), number, &text);
            fputs(i ? " | " : "| ", job->out);
            markup_print(job->out, MARKUP_MD, text);
        }
        fputs(" |\n", job->out);
    }
}

/* ---- LaTeX ---- */

/* What the frames differ in. `brace`: S columns need it around words, so tables that may have some have it. */
static const struct latex_frame {
    const char *begin, *end, *number, *no_unit, *missing;
    bool brace;
} latex_frames[] = {
    [SHEET_PLAIN] = {"", "\n", "", "", "---", false},
    [SHEET_ALONE] = {"% needs \\usepackage{booktabs} and \\usepackage{siunitx}\n"
                     "{\\sisetup{separate-uncertainty, table-align-uncertainty=false}%\n",
                     "}\n", " ", "", "{---}", true},
    [SHEET_PAPER] = {"% needs \\usepackage{array,booktabs,siunitx,tabularx}\n"
                     "{\\sisetup{separate-uncertainty, table-align-uncertainty=false}%\n",
                     "}\n", "", "{}", "---", true},
};

static void put_latex_column(const struct job *job, int column)
{
    const struct sheet_head *head = &job->sheet->head[column];
    if (head->kind == SHEET_WRAPS) {
        fputs(">{\\raggedright\\arraybackslash\\hangindent=0.8em}X", job->out);
        return;
    }
    if (!sheet_is_number(head)) {
        fputc(is_right(head) ? 'r' : 'l', job->out);
        return;
    }
    struct sheet_digits digits = sheet_digits_of(job->sheet, column, job->first, job->end);
    fprintf(job->out, "%sS[table-format=%d.%d", latex_frames[job->frame].number, digits.whole,
            digits.decimals);
    if (digits.uncertain)
        fprintf(job->out, "(%d)", digits.uncertain);
    fputc(']', job->out);
}

static void put_braced(const struct job *job, const char *text)
{
    bool brace = latex_frames[job->frame].brace;
    fputs(brace ? "{" : "", job->out);
    markup_print(job->out, MARKUP_LATEX, text);
    fputs(brace ? "}" : "", job->out);
}

/* Names, and under them the units: columns of a paper are narrow. */
static void put_latex_heads(const struct job *job)
{
    const struct sheet *sheet = job->sheet;
    bool units = false;
    for (int i = 0; i < sheet->columns; i++) {
        fputs(i ? " & " : "", job->out);
        put_braced(job, sheet->head[i].name);
        units = units || *sheet->head[i].unit;
    }
    for (int i = 0; i < sheet->columns && units; i++) {
        const char *name = sheet->head[i].unit;
        const struct unit *unit = units_find(name, strlen(name));
        fputs(i ? " & " : " \\\\\n", job->out);
        fputs(*name ? "{(" : latex_frames[job->frame].no_unit, job->out);
        if (unit && *name)
            fputs(unit->latex, job->out);
        else
            markup_print(job->out, MARKUP_LATEX, name);
        fputs(*name ? ")}" : "", job->out);
    }
    fputs(" \\\\\n\\midrule\n", job->out);
}

static void put_latex_cell(const struct job *job, const struct sheet_head *head,
                           const struct sheet_cell *cell)
{
    char number[NUMBER_SIZE];
    if (sheet_is_missing(cell)) {
        fputs(sheet_is_number(head) ? "{---}" : latex_frames[job->frame].missing, job->out);
    } else if (sheet_is_number(head) && isfinite(cell->value)) {
        sheet_format_number(head, cell, number, sizeof number);
        fputs(number, job->out);
        fputs(cell->dagger ? "{\\textsuperscript{\\dag}}" : "", job->out);
    } else if (sheet_is_number(head)) {
        put_braced(job, cell->text);
    } else if (head->kind == SHEET_BYTES) {
        size_t digits = strcspn(cell->text, "BKMGTPE");
        fprintf(job->out, "%.*s%s%s", (int)digits, cell->text, cell->text[digits] ? "\\," : "",
                cell->text + digits);
    } else {
        markup_print(job->out, MARKUP_LATEX, cell->text);
    }
}

static void print_latex(const struct job *job)
{
    const struct sheet *sheet = job->sheet;
    bool fills = has_kind(sheet, SHEET_WRAPS);
    fputs(latex_frames[job->frame].begin, job->out);
    fputs(fills ? "\\begin{tabularx}{\\linewidth}{@{}" : "\\begin{tabular}{@{}", job->out);
    for (int i = 0; i < sheet->columns; i++)
        put_latex_column(job, i);
    fputs("@{}}\n\\toprule\n", job->out);
    put_latex_heads(job);
    for (size_t row = job->first; row < job->end; row++)
        for (int i = 0; i < sheet->columns; i++) {
            put_latex_cell(job, &sheet->head[i], sheet_cell_at(sheet, row, i));
            fputs(i + 1 < sheet->columns ? " & " : " \\\\\n", job->out);
        }
    fputs(fills ? "\\bottomrule\n\\end{tabularx}" : "\\bottomrule\n\\end{tabular}", job->out);
    fputs(latex_frames[job->frame].end, job->out);
}

/* ---- HTML ---- */

static void put_html_head(const struct job *job, const struct sheet_head *head)
{
    const struct unit *unit = units_find(head->unit, strlen(head->unit));
    bool right = job->frame == SHEET_PAPER && is_right(head);
    fprintf(job->out, "<th scope=\"col\"%s>", right ? " class=\"n\"" : "");
    markup_print(job->out, MARKUP_HTML, head->name);
    if (*head->unit) {
        fputs(" <span class=\"u\">", job->out);
        markup_print(job->out, MARKUP_HTML, unit ? unit->symbol : head->unit);
        fputs("</span>", job->out);
    }
    fputs("</th>", job->out);
}

static void put_html_cell(const struct job *job, const struct sheet_head *head, const struct sheet_cell *cell,
                          bool first)
{
    char number[NUMBER_SIZE];
    const char *text;
    format_cell(head, cell, number, &text);
    fputs(first ? "<th scope=\"row\"" : "<td", job->out);
    if (job->frame == SHEET_PAPER && is_right(head))
        fputs(" class=\"n\"", job->out);
    if (isfinite(cell->value))
        fprintf(job->out, " data-v=\"%.9g\"", cell->value); /* what the column is sorted by */
    fputc('>', job->out);
    const char *half = isfinite(cell->value) ? strstr(text, " ± ") : NULL;
    if (half)
        fprintf(job->out, "%.*s<small> ±&#8239;%s</small>", (int)(half - text), text, half + strlen(" ± "));
    else
        markup_print(job->out, MARKUP_HTML, text);
    fputs(first ? "</th>" : "</td>", job->out);
}

static void print_html(const struct job *job)
{
    const struct sheet *sheet = job->sheet;
    bool paper = job->frame == SHEET_PAPER;
    if (paper) {
        fprintf(job->out, "<table class=\"sort\" id=\"t-%s\">\n<caption>", sheet->name);
        markup_print(job->out, MARKUP_HTML, sheet->caption ? sheet->caption : "");
        fputs("</caption>\n", job->out);
    }
    fputs(paper ? "<thead><tr>" : "<table><thead>\n<tr>", job->out);
    for (int i = 0; i < sheet->columns; i++)
        put_html_head(job, &sheet->head[i]);
    fputs(paper ? "</tr></thead>\n<tbody>\n" : "</tr>\n</thead><tbody>\n", job->out);
    for (size_t row = job->first; row < job->end; row++) {
        fputs("<tr>", job->out);
        for (int i = 0; i < sheet->columns; i++)
            put_html_cell(job, &sheet->head[i], sheet_cell_at(sheet, row, i), i == 0);
        fputs("</tr>\n", job->out);
    }
    fputs("</tbody></table>\n", job->out);
}

void sheet_print_rows(FILE *out, enum markup markup, enum sheet_frame frame, const struct sheet *sheet,
                      size_t first, size_t count)
{
    static void (*const writers[MARKUP_COUNT])(const struct job *) = {
        [MARKUP_TEXT] = print_text,
        [MARKUP_MD] = print_md,
        [MARKUP_LATEX] = print_latex,
        [MARKUP_HTML] = print_html,
    };
    size_t rows = sheet_rows(sheet);
    struct job job = {.out = out,
                      .colours = markup == MARKUP_TEXT && terminal_colours(fileno(out)),
                      .sheet = sheet,
                      .frame = frame,
                      .first = first,
                      .end = count < rows - first ? first + count : rows};
    writers[markup](&job);
}

void sheet_print(FILE *out, enum markup markup, enum sheet_frame frame, const struct sheet *sheet)
{
    sheet_print_rows(out, markup, frame, sheet, 0, SIZE_MAX);
}
