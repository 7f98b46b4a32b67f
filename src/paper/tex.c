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
    report_method_once(document, content->source->file, content->source->files);
}

/* Of each file, with everything that another one needs to measure it again. */
static void tell_files(const struct content *content, struct document *document)
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
    const struct sheet *const sheets[] = {&content->devices, &content->families_table, &content->best,
                                          &content->pairs, &content->ladder};
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
static void begin(FILE *out, const char *what, bool wide, const char *place)
{
    if (wide)
        fprintf(out, "\\begin{%s*}[%s]\n\\centering\n", what, place);
    else
        fprintf(out, "\\begin{column%s}\n", what);
}

static void end(FILE *out, const char *what, bool wide)
{
    fprintf(out, wide ? "\\end{%s*}\n" : "\\end{column%s}\n", what);
}

static void put_table_at(FILE *out, const struct sheet *sheet, const char *place)
{
    struct text name = {0};
    size_t page = 0;
    for (size_t row = 0; row < sheet_rows(sheet); row += sheet_fit(sheet, row, PAGE_LINES)) {
        name_table(sheet, page, &name);
        begin(out, "table", sheet->wide, place);
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

static void put_table(FILE *out, const struct sheet *sheet)
{
    put_table_at(out, sheet, "!p");
}

/* ---- Figures ---- */

static void put_figure(FILE *out, const struct drawn *figure)
{
    begin(out, "figure", figure->wide, "!p");
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

static bool is_chosen(const struct content *content, size_t figure)
{
    for (size_t i = 0; i < content->chosens; i++)
        if (content->chosen[i] == figure)
            return true;
    return false;
}

/* Those of the article stand there. */
static void put_figures(FILE *out, const struct content *content, const size_t *figure, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_chosen(content, figure[i]))
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
    fputs("\\hypersetup{pdftitle={", out);
    markup_print(out, MARKUP_LATEX, content->title);
    fputs("}}\n\\begin{document}\n\\maketitle\n\\begin{abstract}\n\\input{sections/origin}\n"
          "\\input{sections/highlights}\n\\end{abstract}\n\n",
          out);
}

/* The name of the section of a figure's text. */
static void name_section(const struct drawn *figure, struct text *name)
{
    text_add(name, "sections/figure-%s", figure->name);
}

/* Each figure of the short paper behind what it shows. */
static void put_results(FILE *out, const struct content *content)
{
    fputs("\n\\section{How close to the roof}\n"
          "Table~\\ref{tab:families} lists all families and the share of the roof that their best points "
          "reach.\n",
          out);
    put_table_at(out, &content->families_table, "!t");
    /* Figures float here, so that columns fill: each paragraph names its figure. */
    fputs("\n\\section{What follows from addresses}\n"
          "\\begingroup\n\\renewenvironment{columnfigure}{\\begin{figure}[!htb]\\centering}{\\end{figure}}\n",
          out);
    for (size_t i = 0; i < content->chosens; i++) {
        const struct drawn *figure = &content->figures->figure[content->chosen[i]];
        struct text name = {0};
        name_section(figure, &name);
        fprintf(out, "\\paragraph{Figure~\\ref{fig:%s}}\n\\input{%s}\n", figure->name, name.data);
        put_figure(out, figure);
        text_free(&name);
    }
    fputs("\\endgroup\n", out);
}

static void put_article(FILE *out, const struct content *content)
{
    fputs("\\section{Question}\n\\input{sections/question}\n\\section{Machines}\n"
          "Table~\\ref{tab:devices} lists the devices.\n",
          out);
    put_table(out, &content->devices);
    fputs("\n\\section{Method}\n\\input{sections/method}\n", out);
    put_results(out, content);
    fputs("\n\\section{Limits}\n\\input{sections/limits}\n\n\\section{Related "
          "work}\n\\input{sections/related}\n"
          "\\nocite{*}\n\\bibliographystyle{apalike}\n\\bibliography{references}\n",
          out);
}

/* What --full adds: every table and every figure. */
static void put_appendix(FILE *out, const struct content *content)
{
    fputs("\n\\clearpage\n\\appendix\n\\section{Findings}\n\\input{sections/findings}\n", out);
    put_references(out, content, content->across, content->acrosses, NULL);
    put_table(out, &content->best);
    for (int i = 0; i < content->speedups; i++)
        put_table(out, &content->speedup[i]);
    put_figures(out, content, content->across, content->acrosses);
    put_table(out, &content->ladder);
    if (sheet_rows(&content->pairs)) {
        fprintf(out,
                "\n\\section{Before and after}\n%zu pairs of points differ in one decision each; "
                "Table~\\ref{tab:pairs} has the time before and after it.\n",
                sheet_rows(&content->pairs));
        put_table(out, &content->pairs);
    }
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
    fputs("\n\\section{Files}\n\\input{sections/files}\n", out);
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
        put_article(out, content);
        if (content->full)
            put_appendix(out, content);
        fputs("\\end{document}\n", out);
    }
    free(preamble);
    if (out)
        return close_file(out, &path, error);
    text_free(&path);
    return -1;
}

/* What each figure of the article shows. */
static int write_figures(const struct content *content, const char *folder, struct error *error)
{
    int failed = 0;
    for (size_t i = 0; i < content->chosens && !failed; i++) {
        const struct drawn *figure = &content->figures->figure[content->chosen[i]];
        struct text path = {0}, name = {0};
        name_section(figure, &name);
        text_add(&name, ".tex");
        struct document document = {.out = open_file(folder, name.data, &path, error),
                                    .markup = MARKUP_LATEX};
        if (document.out) {
            content_print_figure(content, figure, &document);
            failed = close_file(document.out, &path, error);
        } else {
            failed = -1;
            text_free(&path);
        }
        text_free(&name);
    }
    return failed;
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
    static const struct {
        const char *name;
        void (*tell)(const struct content *, struct document *);
    } sections[] = {
        {"sections/origin.tex", content_print_origin},
        {"sections/highlights.tex", content_print_highlights},
        {"sections/question.tex", content_print_question},
        {"sections/method.tex", tell_method},
        {"sections/limits.tex", content_print_limits},
        {"sections/related.tex", content_print_related},
        {"sections/findings.tex", content_print_findings},
        {"sections/files.tex", tell_files},
    };
    int failed = 0;
    for (int i = 0; i < 2 && !failed; i++) {
        struct text path = {0};
        text_add(&path, "%s/%s", folder, folders[i]);
        failed = io_make_folders(path.data, error);
        text_free(&path);
    }
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !failed; i++)
        failed = write_section(content, folder, sections[i].name, sections[i].tell, error);
    return failed || write_figures(content, folder, error) != 0 ||
                   write_families(content, folder, error) != 0 || write_tables(content, folder, error) != 0 ||
                   write_references(folder, error) != 0
               ? -1
               : write_paper(content, analysis, folder, error);
}
