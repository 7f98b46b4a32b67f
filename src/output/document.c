#include "output/document.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/mark.h"

/* What stands before and after each part. */
static const struct marks {
    const char *heading[3], *heading_end[3], *paragraph, *paragraph_end;
    const char *items, *items_end, *item, *item_end, *table_end;
} marks[MARKUP_COUNT] = {
    [MARKUP_MD] = {{"# ", "## ", "### "}, {"\n\n", "\n\n", "\n\n"}, "", "\n\n", "", "\n", "- ", "\n", "\n"},
    [MARKUP_LATEX] = {{"\\section*{", "\\subsection*{", "\\subsubsection*{"},
                      {"}\n\n", "}\n\n", "}\n\n"},
                      "",
                      "\n\n",
                      "\\begin{itemize}\n",
                      "\\end{itemize}\n\n",
                      "\\item ",
                      "\n",
                      "\n"},
    [MARKUP_HTML] = {{"<h2>", "<h3>", "<h4>"}, /* the page's own heading is its title */
                     {"</h2>\n", "</h3>\n", "</h4>\n"},
                     "<p>",
                     "</p>\n",
                     "<ul>\n",
                     "</ul>\n",
                     "<li>",
                     "</li>\n",
                     ""},
};

const char *const document_formats[] = {"md", "latex", NULL};

struct document document_new(FILE *out, const char *format)
{
    return (struct document){.out = out, .markup = strcmp(format, "latex") ? MARKUP_MD : MARKUP_LATEX};
}

static const struct marks *marks_of(const struct document *document)
{
    assert(marks[document->markup].paragraph);
    return &marks[document->markup];
}

static void put(struct document *document, const char *before, const char *after, const char *format,
                va_list arguments)
{
    char *text = sheet_format_text(format, arguments);
    fputs(before, document->out);
    markup_print(document->out, document->markup, text);
    fputs(after, document->out);
    free(text);
}

void document_heading(struct document *document, int level, const char *format, ...)
{
    const struct marks *m = marks_of(document);
    va_list arguments;
    va_start(arguments, format);
    put(document, m->heading[level - 1], m->heading_end[level - 1], format, arguments);
    va_end(arguments);
    if (level == 1)
        mark_print(document->out, document->markup, m->paragraph, m->paragraph_end);
}

void document_paragraph(struct document *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(document, marks_of(document)->paragraph, marks_of(document)->paragraph_end, format, arguments);
    va_end(arguments);
}

void document_items_begin(struct document *document)
{
    fputs(marks_of(document)->items, document->out);
}

void document_item(struct document *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(document, marks_of(document)->item, marks_of(document)->item_end, format, arguments);
    va_end(arguments);
}

void document_items_end(struct document *document)
{
    fputs(marks_of(document)->items_end, document->out);
}

void document_table_begin(struct document *document, const char *alignment, const char *const *heads)
{
    document->table = sheet_new("", false);
    document->alignment = alignment;
    for (int i = 0; heads && alignment[i]; i++)
        document_cell(document, "%s", heads[i]);
}

void document_cell(struct document *document, const char *format, ...)
{
    struct sheet *table = &document->table;
    va_list arguments;
    va_start(arguments, format);
    char *text = sheet_format_text(format, arguments);
    va_end(arguments);
    char alignment = document->alignment[table->columns];
    if (alignment)
        sheet_head(table, alignment == 'l' ? SHEET_WORDS : SHEET_RIGHT, "", "%s", text);
    else
        sheet_text(table, "%s", text);
    free(text);
}

void document_cells(struct document *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = sheet_format_text(format, arguments), *rest = text;
    va_end(arguments);
    while (rest)
        document_cell(document, "%s", strsep(&rest, "\t"));
    free(text);
}

void document_number(struct document *document, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    document_cell(document, "%s", isnan(value) ? "-" : text);
}

void document_table_end(struct document *document)
{
    sheet_print(document->out, document->markup, SHEET_PLAIN, &document->table);
    fputs(marks_of(document)->table_end, document->out);
    sheet_free(&document->table);
}
