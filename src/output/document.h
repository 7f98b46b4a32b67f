/* document.h - headings, paragraphs and tables as Markdown, LaTeX or HTML. */
#ifndef OUTPUT_DOCUMENT_H
#define OUTPUT_DOCUMENT_H

#include <stdbool.h>
#include <stdio.h>

struct document {
    FILE *out;
    bool latex, html; /* neither: Markdown */
    bool body;        /* of the table that is being written: its header is done */
    int cells;        /* of the row that is being written */
};

/* `level` 1 is the document's own. */
void document_heading(struct document *document, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void document_paragraph(struct document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void document_item(struct document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));
void document_items_begin(struct document *document);
void document_items_end(struct document *document);

/* A table: its header's row first. `alignment` has an 'l' or 'r' for each column. */
void document_table_begin(struct document *document, const char *alignment);
void document_cell(struct document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));
void document_row_end(struct document *document);
void document_header_end(struct document *document, const char *alignment); /* ends the header's row */
void document_table_end(struct document *document);

#endif
