/* content.h - the content of a paper, computed once for LaTeX and HTML. */
#ifndef PAPER_CONTENT_H
#define PAPER_CONTENT_H

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
    struct sheet devices, best, pairs, points;
    struct sheet pairs_times;      /* pairs, with the times */
    struct sheet *speedup;         /* owned: of each file over the first */
    struct comparison *comparison; /* owned: the same */
    int speedups;
    struct content_family *family; /* owned; in the order of their names */
    int families;
    size_t *across; /* owned: figures of all families */
    size_t acrosses;
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

/* One paragraph about a family. */
void content_print_family(const struct content *content, const struct content_family *family,
                          struct document *document);

#endif
