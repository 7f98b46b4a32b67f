/* content.h - the content of a paper, computed once for LaTeX and HTML. */
#pragma once

#include "output/document.h"
#include "paper/figures.h"
#include "paper/sheets.h"

/* Of one family. */
struct content_family {
    const struct source_family *family;
    struct sheet variants;
    size_t *figure; /* owned: indices into content.figures */
    size_t figures;
};

/* content_make makes it, content_free releases it. */
struct content {
    const struct source *source;
    const struct pair_table *pair_table;
    const struct figures *figures;
    char *title;       /* owned */
    char date[16];     /* start of the latest run: 2026-11-22; '' if unknown */
    long long seconds; /* the same since 1970, the date of documents; -1: unknown */
    struct sheet devices, families_table, best, pairs, points;
    struct sheet ladder;           /* below the figure ladder */
    struct sheet pairs_times;      /* pairs, with the times */
    struct sheet *speedup;         /* owned: of each file over the first */
    struct comparison *comparison; /* owned: the same */
    int speedups;
    struct content_family *family; /* owned; in the order of their names */
    int families;
    size_t *across; /* owned: figures of all families */
    size_t acrosses;
    size_t *chosen; /* owned: figures of the short paper: of laws, of bends, of the model */
    size_t chosens;
    bool full;                  /* the paper has an appendix with everything; not set by content_make */
    bool compiled, figures_pdf; /* paper.pdf, figures/NAME.pdf exist; not set by content_make */
};

/* `title`: NULL for the default. The arguments must outlive the content. */
void content_make(const struct source *source, const struct pair_table *pairs, const struct figures *figures,
                  const char *title, struct content *content);
void content_free(struct content *content);

/* "H100 and H200". */
void content_list_devices(const struct source *source, struct text *out);

/* The abstract: files, points, devices. */
void content_print_origin(const struct content *content, struct document *document);

/* The main findings, one item each, computed from the files. */
void content_print_findings(const struct content *content, struct document *document);

/* Of these, what stands on the first page: the roofs reached, the devices compared, the model. */
void content_print_highlights(const struct content *content, struct document *document);

/* How the textbook's before and after compare with what was measured, an item. */
void content_print_pairs_item(const struct content *content, struct document *document);

/* What the paper asks, and what was measured for it. */
void content_print_question(const struct content *content, struct document *document);

/* document_item or document_paragraph. */
typedef void (*content_teller)(struct document *document, const char *format, ...);

/* The laws that a figure shows (NULL: all), each by itself. Returns how many. */
int content_print_laws(const struct content *content, const char *figure, content_teller tell,
                       struct document *document);

/* What a figure of the short paper shows: its laws, else where the rates of its family bend, or how well times are predicted. */
void content_print_figure(const struct content *content, const struct drawn *figure,
                          struct document *document);

/* What the numbers do not show, and what others have measured. */
void content_print_limits(const struct content *content, struct document *document);
void content_print_related(const struct content *content, struct document *document);

/* One paragraph about a family. */
void content_print_family(const struct content *content, const struct content_family *family,
                          struct document *document);
