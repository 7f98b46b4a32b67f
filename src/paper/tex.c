#include "paper/tex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "output/markup.h"
#include "report/report.h"
#include "version.h"

#define PAGE_LINES 61 /* of a table that takes a page; a longer one goes on in another */

/* ---- Files ---- */

/* FOLDER/NAME to write to; the name is kept for messages. */
static FILE *open_file(const char *folder, const char *name, struct text *path, struct error *error)
{
    text_add(path, "%s/%s", folder, name);
    FILE *out = fopen(path->data, "w");
    if (!out)
        error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path->data, strerror(errno));
    return out;
}

static int close_file(FILE *out, struct text *path, struct error *error)
{
    bool failed = ferror(out) != 0;
    failed = fclose(out) != 0 || failed;
    if (failed)
        error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path->data, strerror(errno));
    text_free(path);
    return failed ? -1 : 0;
}

/* A part of the paper that a function writes. */
static int write_section(const struct content *content, const char *folder, const char *name,
                         void (*tell)(const struct content *, struct document *), struct error *error)
{
    struct text path = {0};
    struct document document = {.out = open_file(folder, name, &path, error), .markup = MARKUP_LATEX};
    if (!document.out) {
        text_free(&path);
        return -1;
    }
    tell(content, &document);
    return close_file(document.out, &path, error);
}

static void tell_method(const struct content *content, struct document *document)
{
    for (int i = 0; i < content->source->files; i++)
        report_method(document, &content->source->file[i], content->source->path[i]);
}

/* ---- Tables ---- */

/* tables/NAME.tex; of more than one page tables/NAME-2.tex and so on. */
static void name_table(const struct sheet *sheet, size_t page, struct text *name)
{
    name->length = 0;
    text_add(name, "tables/%s", sheet->name);
    if (page)
        text_add(name, "-%zu", page + 1);
}

static int write_table(const struct sheet *sheet, const char *folder, struct error *error)
{
    struct text name = {0};
    int failed = 0;
    size_t page = 0;
    for (size_t row = 0, rows; row < sheet_rows(sheet) && !failed; row += rows) {
        struct text path = {0};
        name_table(sheet, page++, &name);
        text_add(&name, ".tex");
        FILE *out = open_file(folder, name.data, &path, error);
        rows = sheet_fit(sheet, row, PAGE_LINES);
        if (out)
            sheet_print_rows(out, MARKUP_LATEX, SHEET_PAPER, sheet, row, rows);
        else
            text_free(&path);
        failed = out ? close_file(out, &path, error) : -1;
    }
    text_free(&name);
    return failed;
}

static int write_tables(const struct content *content, const char *folder, struct error *error)
{
    const struct sheet *const sheets[] = {&content->devices, &content->best, &content->pairs};
    int failed = 0;
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets && !failed; i++)
        failed = write_table(sheets[i], folder, error);
    for (int i = 0; i < content->speedups && !failed; i++)
        failed = write_table(&content->speedup[i], folder, error);
    for (int f = 0; f < content->families && !failed; f++)
        failed = write_table(&content->family[f].variants, folder, error);
    return failed;
}

/* What is one column wide stands where it is told of; what is two has pages of its own, because columns below it would be too
 * short for figures, which do not break. */
static void begin(FILE *out, const char *what, bool wide)
{
    fprintf(out, wide ? "\\begin{%s*}[!p]\n\\centering\n" : "\\begin{column%s}\n", what);
}

static void end(FILE *out, const char *what, bool wide)
{
    fprintf(out, wide ? "\\end{%s*}\n" : "\\end{column%s}\n", what);
}

static void put_table(FILE *out, const struct sheet *sheet)
{
    struct text name = {0};
    size_t page = 0;
    for (size_t row = 0; row < sheet_rows(sheet); row += sheet_fit(sheet, row, PAGE_LINES)) {
        name_table(sheet, page, &name);
        begin(out, "table", sheet->wide);
        fprintf(out, "\\caption%s{", page ? "[]" : "");
        markup_print(out, MARKUP_LATEX, sheet->caption ? sheet->caption : "");
        fputs(page ? " (Continued.)}\n" : "}\n", out);
        if (!page)
            fprintf(out, "\\label{tab:%s}\n", sheet->name);
        fprintf(out, "\\footnotesize\n\\input{%s}\n", name.data);
        end(out, "table", sheet->wide);
        page++;
    }
    text_free(&name);
}

/* ---- Figures ---- */

static void put_figure(FILE *out, const struct drawn *figure)
{
    begin(out, "figure", figure->wide);
    fprintf(out,
            "\\includegraphics{figures/%s.pdf}\n\\caption[]{\\input{figures/%s.caption}}\n\\label{fig:%s}\n",
            figure->name, figure->name, figure->name);
    end(out, "figure", figure->wide);
}

/* "Figures 3, 4 and 5 show them." */
static void put_references(FILE *out, const struct content *content, const size_t *figure, size_t count,
                           const struct sheet *table)
{
    bool rows = table && sheet_rows(table);
    if (rows)
        fprintf(out, "Table~\\ref{tab:%s} has the best point of each variant", table->name);
    if (rows && !count)
        fputs(".\n", out);
    if (!count)
        return;
    fprintf(out, "%s~", rows ? (count > 1 ? "; Figures" : "; Figure") : count > 1 ? "Figures" : "Figure");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s\\ref{fig:%s}",
                i == 0          ? ""
                : i + 1 < count ? ", "
                                : " and~",
                content->figures->figure[figure[i]].name);
    fprintf(out, " %s more.\n", count > 1 ? "show" : "shows");
}

static void put_figures(FILE *out, const struct content *content, const size_t *figure, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_figure(out, &content->figures->figure[figure[i]]);
}

/* ---- The paper ---- */

static void put_preamble(FILE *out, const struct content *content, const char *preamble)
{
    fputs("% Made by `warpsweep paper'. Texts, tables and figures are taken in from the files beside it.\n",
          out);
    fputs(preamble, out);
    fputs("\\title{", out);
    markup_print(out, MARKUP_LATEX, content->title);
    fprintf(out, "}\n\\author{made by \\texttt{warpsweep paper}, release %s}\n\\date{measured until %s}\n",
            WARPSWEEP_RELEASE, *content->date ? content->date : "an unknown date");
    fputs("\\begin{document}\n\\maketitle\n\\begin{abstract}\n\\input{sections/origin}\n\\end{abstract}\n\n",
          out);
}

static void put_findings(FILE *out, const struct content *content)
{
    fputs("\\section{Devices}\n", out);
    fputs("Table~\\ref{tab:devices} has what was measured on.\n", out);
    put_table(out, &content->devices);
    fputs("\n\\section{Findings}\n\\input{sections/findings}\n", out);
    fputs("Table~\\ref{tab:best} has the best point of each family", out);
    for (int i = 0; i < content->speedups; i++)
        fprintf(out, ", Table~\\ref{tab:%s} the speed-ups of %s", content->speedup[i].name, "families");
    fputs(". ", out);
    put_references(out, content, content->across, content->acrosses, NULL);
    put_table(out, &content->best);
    for (int i = 0; i < content->speedups; i++)
        put_table(out, &content->speedup[i]);
    put_figures(out, content, content->across, content->acrosses);
    if (sheet_rows(&content->pairs)) {
        fputs("\n\\section{Before and after}\n", out);
        fprintf(out,
                "%zu pairs of points differ in one decision each; Table~\\ref{tab:pairs} has the time before "
                "and after "
                "it.\n",
                sheet_rows(&content->pairs));
        put_table(out, &content->pairs);
    }
}

static void put_families(FILE *out, const struct content *content)
{
    fputs("\n\\section{Families}\n", out);
    for (int f = 0; f < content->families; f++) {
        const struct content_family *family = &content->family[f];
        fputs("\n\\subsection{", out);
        markup_print(out, MARKUP_LATEX, family->family->name);
        fprintf(out, "}\n\\input{sections/family-%s}\n", markup_name(family->family->name).text);
        put_references(out, content, family->figure, family->figures, &family->variants);
        put_table(out, &family->variants);
        put_figures(out, content, family->figure, family->figures);
    }
    fputs("\n\\section{Method}\n\\input{sections/method}\n"
          "\\nocite{*}\n\\bibliographystyle{plain}\n\\bibliography{references}\n\\end{document}\n",
          out);
}

static int write_paper(const struct content *content, const char *analysis, const char *folder,
                       struct error *error)
{
    struct text path = {0}, preamble_path = {0};
    size_t size;
    text_add(&preamble_path, "%s/paper/preamble.tex", analysis);
    char *preamble = io_read_file(preamble_path.data, (size_t)1 << 20, &size, error);
    text_free(&preamble_path);
    FILE *out = preamble ? open_file(folder, "paper.tex", &path, error) : NULL;
    if (out) {
        put_preamble(out, content, preamble);
        put_findings(out, content);
        put_families(out, content);
    }
    free(preamble);
    if (out)
        return close_file(out, &path, error);
    text_free(&path);
    return -1;
}

static int write_families(const struct content *content, const char *folder, struct error *error)
{
    int failed = 0;
    for (int f = 0; f < content->families && !failed; f++) {
        struct text path = {0}, name = {0};
        text_add(&name, "sections/family-%s.tex", markup_name(content->family[f].family->name).text);
        struct document document = {.out = open_file(folder, name.data, &path, error),
                                    .markup = MARKUP_LATEX};
        text_free(&name);
        if (!document.out) {
            text_free(&path);
            return -1;
        }
        content_print_family(content, &content->family[f], &document);
        failed = close_file(document.out, &path, error);
    }
    return failed;
}

static int write_references(const char *folder, struct error *error)
{
    struct text path = {0};
    FILE *out = open_file(folder, "references.bib", &path, error);
    if (!out) {
        text_free(&path);
        return -1;
    }
    report_bibtex(out);
    return close_file(out, &path, error);
}

int tex_write(const struct content *content, const char *analysis, const char *folder, struct error *error)
{
    static const char *const folders[] = {"sections", "tables"};
    int failed = 0;
    for (int i = 0; i < 2 && !failed; i++) {
        struct text path = {0};
        text_add(&path, "%s/%s", folder, folders[i]);
        failed = io_make_folders(path.data, error);
        text_free(&path);
    }
    return failed ||
                   write_section(content, folder, "sections/origin.tex", content_print_origin, error) != 0 ||
                   write_section(content, folder, "sections/findings.tex", content_print_findings, error) !=
                       0 ||
                   write_section(content, folder, "sections/method.tex", tell_method, error) != 0 ||
                   write_families(content, folder, error) != 0 || write_tables(content, folder, error) != 0 ||
                   write_references(folder, error) != 0
               ? -1
               : write_paper(content, analysis, folder, error);
}
