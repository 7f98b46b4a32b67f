#include "table/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"

const char *const print_formats[] = {"text", "tsv", "csv", "json", NULL};

enum print_format print_format_named(const char *word)
{
    if (!word)
        return isatty(STDOUT_FILENO) ? PRINT_TEXT : PRINT_TSV;
    return (enum print_format)text_find(print_formats, word);
}

/* Texts of a results file have no control characters: frame_text_foreign has escaped them. */
static void put_text(FILE *out, const char *text, enum print_format format)
{
    bool csv = format == PRINT_CSV, quoted = csv && strpbrk(text, ",\"");
    if (format == PRINT_JSON) {
        json_text(out, text);
        return;
    }
    fputs(quoted ? "\"" : "", out);
    for (; *text; text++) {
        if (*text == '"' && quoted)
            fputc('"', out);
        else if (*text == '\\' && !csv)
            fputc('\\', out);
        fputc(*text, out);
    }
    fputs(quoted ? "\"" : "", out);
}

static void put_cell(FILE *out, const struct column *column, union cell cell, enum print_format format)
{
    bool json = format == PRINT_JSON, text = column->type == COLUMN_TEXT;
    if (frame_is_missing(column, cell) && (json || !text))
        fputs(json ? "null" : "nan", out);
    else if (text)
        put_text(out, cell.text, format);
    else if (column->type == COLUMN_INTEGER)
        fprintf(out, "%" PRId64, cell.integer);
    else if (isinf(cell.real) && !json)
        fputs(cell.real > 0 ? "inf" : "-inf", out);
    else
        json_real(out, cell.real);
}

/* The name of a column, with that of its table. */
static const char *name_of(const struct view_column *column, char out[160])
{
    snprintf(out, 160, "%s%s", column->of_device ? DEVICE_PREFIX : "", column->header->name);
    return out;
}

static void print_separated(FILE *out, const struct view *view, enum print_format format)
{
    char separator = format == PRINT_TSV ? '\t' : ',', name[160];
    for (int i = 0; i < view->columns; i++)
        fprintf(out, "%s%c", name_of(&view->column[i], name), i + 1 < view->columns ? separator : '\n');
    for (size_t r = 0; r < view->rows; r++)
        for (int i = 0; i < view->columns; i++) {
            const struct view_column *column = &view->column[i];
            put_cell(out, column->header, view_cell(view->dataset, view->row[r], column), format);
            fputc(i + 1 < view->columns ? separator : '\n', out);
        }
}

/* A list of all rows. */
static void print_json(FILE *out, const struct view *view)
{
    char name[160];
    for (size_t r = 0; r < view->rows; r++) {
        fputs(r ? ",\n {" : "[\n {", out);
        for (int i = 0; i < view->columns; i++) {
            const struct view_column *column = &view->column[i];
            fputs(i ? ", " : "", out);
            put_text(out, name_of(column, name), PRINT_JSON);
            fputs(": ", out);
            put_cell(out, column->header, view_cell(view->dataset, view->row[r], column), PRINT_JSON);
        }
        fputs("}", out);
    }
    fputs(view->rows ? "\n]\n" : "[]\n", out);
}

/* Characters, not bytes: those that begin a UTF-8 sequence. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* The text of a column in a line, 0: the head. Returns its width. */
static int cell_text(const struct view *view, size_t line, int i, char text[1024])
{
    const struct view_column *column = &view->column[i];
    if (line)
        human_cell(column->header, view_cell(view->dataset, view->row[line - 1], column), text, 1024);
    else
        name_of(column, text);
    return width_of(text);
}

/* Columns are as wide as their widest cell, which is found before anything is printed. */
static void print_text(FILE *out, const struct view *view)
{
    int *widest = memory_new((size_t)view->columns + 1, sizeof *widest);
    char text[1024];
    for (size_t line = 0; line <= view->rows; line++)
        for (int i = 0; i < view->columns; i++) {
            const int width = cell_text(view, line, i, text);
            widest[i] = width > widest[i] ? width : widest[i];
        }
    for (size_t line = 0; line <= view->rows; line++)
        for (int i = 0; i < view->columns; i++) {
            const bool right = view->column[i].header->type != COLUMN_TEXT, last = i + 1 == view->columns;
            const int pad = widest[i] - cell_text(view, line, i, text);
            fprintf(out, "%*s%s%*s%s", right ? pad : 0, "", text, last || right ? 0 : pad, "",
                    last ? "\n" : "  ");
        }
    free(widest);
}

void print_view(FILE *out, const struct view *view, enum print_format format)
{
    if (format == PRINT_TEXT)
        print_text(out, view);
    else if (format == PRINT_JSON)
        print_json(out, view);
    else
        print_separated(out, view, format);
}
