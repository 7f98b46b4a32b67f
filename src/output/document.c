#include "output/document.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/memory.h"
#include "output/html.h"
#include "output/latex.h"
#include "output/print.h"

static void put(struct document *document, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *text = memory_new(size, 1);
    vsnprintf(text, size, format, again);
    va_end(again);
    if (document->html)
        html_print_text(document->out, text);
    else if (document->latex)
        latex_print_text(document->out, text);
    else
        print_md_text(text, document->out);
    free(text);
}

/* One of three, by what is written. */
static const char *choose(const struct document *document, const char *md, const char *latex,
                          const char *html)
{
    return document->html ? html : document->latex ? latex : md;
}

void document_heading(struct document *document, int level, const char *format, ...)
{
    static const char *const md[] = {"# ", "## ", "### "};
    static const char *const latex[] = {"\\section*{", "\\subsection*{", "\\subsubsection*{"};
    static const char *const html[] = {"<h2>", "<h3>", "<h4>"}; /* the page's own is its title */
    static const char *const html_end[] = {"</h2>\n", "</h3>\n", "</h4>\n"};
    va_list arguments;
    fputs(choose(document, md[level - 1], latex[level - 1], html[level - 1]), document->out);
    va_start(arguments, format);
    put(document, format, arguments);
    va_end(arguments);
    fputs(choose(document, "\n\n", "}\n\n", html_end[level - 1]), document->out);
}

void document_paragraph(struct document *document, const char *format, ...)
{
    va_list arguments;
    fputs(choose(document, "", "", "<p>"), document->out);
    va_start(arguments, format);
    put(document, format, arguments);
    va_end(arguments);
    fputs(choose(document, "\n\n", "\n\n", "</p>\n"), document->out);
}

void document_items_begin(struct document *document)
{
    fputs(choose(document, "", "\\begin{itemize}\n", "<ul>\n"), document->out);
}

void document_item(struct document *document, const char *format, ...)
{
    va_list arguments;
    fputs(choose(document, "- ", "\\item ", "<li>"), document->out);
    va_start(arguments, format);
    put(document, format, arguments);
    va_end(arguments);
    fputs(choose(document, "\n", "\n", "</li>\n"), document->out);
}

void document_items_end(struct document *document)
{
    fputs(choose(document, "\n", "\\end{itemize}\n\n", "</ul>\n"), document->out);
}

void document_table_begin(struct document *document, const char *alignment)
{
    document->cells = 0;
    document->body = false;
    if (document->html)
        fputs("<table><thead>\n", document->out);
    else if (document->latex)
        fprintf(document->out, "\\begin{tabular}{@{}%s@{}}\n\\toprule\n", alignment);
}

void document_cell(struct document *document, const char *format, ...)
{
    va_list arguments;
    const char *html = document->body && document->cells ? "<td>"
                       : document->body                  ? "<th scope=\"row\">"
                                                         : "<th scope=\"col\">";
    fputs(document->html && !document->cells ? "<tr>" : "", document->out);
    fputs(choose(document, document->cells ? " | " : "| ", document->cells ? " & " : "", html),
          document->out);
    va_start(arguments, format);
    put(document, format, arguments);
    va_end(arguments);
    fputs(choose(document, "", "", document->body && document->cells ? "</td>" : "</th>"), document->out);
    document->cells++;
}

void document_row_end(struct document *document)
{
    fputs(choose(document, " |\n", " \\\\\n", "</tr>\n"), document->out);
    document->cells = 0;
}

void document_header_end(struct document *document, const char *alignment)
{
    document_row_end(document);
    document->body = true;
    if (document->html || document->latex) {
        fputs(choose(document, "", "\\midrule\n", "</thead><tbody>\n"), document->out);
        return;
    }
    for (const char *column = alignment; *column; column++)
        fputs(*column == 'l' ? "|---" : "|---:", document->out);
    fputs("|\n", document->out);
}

void document_table_end(struct document *document)
{
    fputs(choose(document, "\n", "\\bottomrule\n\\end{tabular}\n\n", "</tbody></table>\n"), document->out);
}
