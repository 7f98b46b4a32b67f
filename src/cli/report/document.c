#include "cli/report/document.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/data/latex.h"
#include "cli/data/print.h"

static void put(struct document *document, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *text = memory_new(size, 1);
    vsnprintf(text, size, format, again);
    va_end(again);
    if (document->latex)
        latex_print_text(document->out, text);
    else
        print_md_text(text, document->out);
    free(text);
}

void document_heading(struct document *document, int level, const char *format, ...)
{
    static const char *const md[] = {"# ", "## ", "### "};
    static const char *const latex[] = {"\\section*{", "\\subsection*{", "\\subsubsection*{"};
    va_list arguments;
    fputs(document->latex ? latex[level - 1] : md[level - 1], document->out);
    va_start(arguments, format);
    put(document, format, arguments);
    va_end(arguments);
    fputs(document->latex ? "}\n\n" : "\n\n", document->out);
}

void document_paragraph(struct document *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(document, format, arguments);
    va_end(arguments);
    fputs("\n\n", document->out);
}

void document_items_begin(struct document *document)
{
    fputs(document->latex ? "\\begin{itemize}\n" : "", document->out);
}

void document_item(struct document *document, const char *format, ...)
{
    va_list arguments;
    fputs(document->latex ? "\\item " : "- ", document->out);
    va_start(arguments, format);
    put(document, format, arguments);
    va_end(arguments);
    fputc('\n', document->out);
}

void document_items_end(struct document *document)
{
    fputs(document->latex ? "\\end{itemize}\n\n" : "\n", document->out);
}

void document_table_begin(struct document *document, const char *alignment)
{
    document->cells = 0;
    if (document->latex)
        fprintf(document->out, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n", alignment);
}

void document_cell(struct document *document, const char *format, ...)
{
    va_list arguments;
    if (document->latex)
        fputs(document->cells ? " & " : "", document->out);
    else
        fputs(document->cells ? " | " : "| ", document->out);
    document->cells++;
    va_start(arguments, format);
    put(document, format, arguments);
    va_end(arguments);
}

void document_row_end(struct document *document)
{
    fputs(document->latex ? " \\\\\n" : " |\n", document->out);
    document->cells = 0;
}

void document_header_end(struct document *document, const char *alignment)
{
    document_row_end(document);
    if (document->latex) {
        fputs("\\midrule\n", document->out);
        return;
    }
    for (const char *column = alignment; *column; column++)
        fputs(*column == 'l' ? "|---" : "|---:", document->out);
    fputs("|\n", document->out);
}

void document_table_end(struct document *document)
{
    fputs(document->latex ? "\\bottomrule\n\\end{tabular}\n\n" : "\n", document->out);
}
