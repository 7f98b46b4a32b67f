/* document.h - headings, paragraphs and tables as Markdown, LaTeX or HTML. */
#pragma once

#include "output/sheet.h"

struct document {
    FILE *out;
    enum markup markup;
    struct sheet table;    /* from document_table_begin to document_table_end */
    const char *alignment; /* of its columns */
};

/* For --format: "md" and "latex"; NULL-terminated. */
extern const char *const document_formats[];
struct document document_new(FILE *out, const char *format);

/* `level` 1 is the document's own. */
void document_heading(struct document *document, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void document_paragraph(struct document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void document_item(struct document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));
void document_items_begin(struct document *document);
void document_items_end(struct document *document);

/* A table: its cells row after row. `alignment` has an 'l' or 'r' for each column. `heads` has as many; NULL: the first row
 * of cells is the header. */
void document_table_begin(struct document *document, const char *alignment, const char *const *heads);
void document_cell(struct document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Several cells, with tabs between. Texts of a results file have no tabs: they are clean (base/clean.h). */
void document_cells(struct document *document, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A cell of a number; a dash for NaN. `format` has one conversion of a double. */
void document_number(struct document *document, const char *format, double value);
void document_table_end(struct document *document);
