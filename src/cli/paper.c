/* paper - a folder with figures, tables and method of results files, as a LaTeX paper and a web page. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "paper/compile.h"
#include "paper/content.h"
#include "paper/folder.h"
#include "paper/html.h"
#include "paper/tex.h"
#include "process/shipped.h"

#define FILES_MAX 64

static const struct command_option options[] = {
    {"output", 'o', "DIR", NULL, NULL, "the folder to write"},
    {"overwrite", 0, NULL, NULL, NULL, "replace the files that this command has made in DIR"},
    {"title", 't', "TEXT", NULL, NULL, "title of paper and page"},
    {"no-compile", 0, NULL, NULL, NULL, "do not compile paper.tex"},
    {"no-figures-pdf", 0, NULL, NULL, NULL, "remove figures/*.pdf after compiling, for a smaller folder"},
    {"full", 0, NULL, NULL, NULL, "add an appendix with every table and figure to the paper"},
    {"pairs", 'p', "FILE", NULL, NULL, "your own list of pairs; default: analysis/pairs.yaml"},
    {"analysis", 0, "DIR", NULL, NULL, "folder of your own figures, with paper/"},
    OPTION_SALVAGE,
    {0},
};

/* Input and output of the command. */
struct paper {
    const struct arguments *arguments;
    char *analysis; /* owned: folder of figures */
    struct scratch made;
    struct source source;
    struct pair_table pairs;
    struct text pairs_path;
    struct figures figures;
    struct content content;
};

static int find_analysis(struct paper *paper, struct error *error)
{
    const char *named = options_text(paper->arguments, "analysis"),
               *pairs = options_text(paper->arguments, "pairs");
    paper->analysis = shipped_folder(named, "paper/page.css", error);
    if (!paper->analysis)
        return -1;
    text_add(&paper->pairs_path, "%s%s", pairs ? pairs : paper->analysis, pairs ? "" : "/pairs.yaml");
    return pairs_read(paper->pairs_path.data, &paper->pairs, error);
}

static void drop_figures(const struct paper *paper)
{
    for (size_t i = 0; i < paper->figures.count; i++) {
        struct text path = {0};
        text_add(&path, "%s/figures/%s.pdf", paper->made.path, paper->figures.figure[i].name);
        unlink(path.data);
        text_free(&path);
    }
}

/* A failure to compile is only a note: everything else is complete. */
static void compile(struct paper *paper)
{
    struct error why = {0};
    paper->content.figures_pdf = true;
    if (options_given(paper->arguments, "no-compile"))
        return;
    if (compile_paper(paper->made.path, paper->content.seconds, &why) != 0) {
        fprintf(stderr, "warpsweep: no paper.pdf: %s\n", why.text);
        return;
    }
    paper->content.compiled = true;
    if (options_given(paper->arguments, "no-figures-pdf")) {
        drop_figures(paper);
        paper->content.figures_pdf = false;
    }
}

static int fill(struct paper *paper, struct error *error)
{
    const struct arguments *arguments = paper->arguments;
    struct text figures = {0};
    text_add(&figures, "%s/figures", paper->made.path);
    int failed = figures_draw(arguments->operand, arguments->operands, paper->analysis, figures.data,
                              &paper->figures, error);
    text_free(&figures);
    if (failed)
        return -1;
    content_make(&paper->source, &paper->pairs, &paper->figures, options_text(arguments, "title"),
                 &paper->content);
    paper->content.full = options_given(arguments, "full");
    if (tex_write(&paper->content, paper->analysis, paper->made.path, error) != 0)
        return -1;
    compile(paper);
    return html_write(&paper->content, paper->analysis, paper->made.path, error);
}

static void print_summary(const struct paper *paper, const char *folder)
{
    size_t drawn = 0;
    for (size_t i = 0; i < paper->figures.count; i++)
        drawn += paper->figures.figure[i].caption != NULL;
    for (size_t i = 0; i < paper->figures.count; i++)
        if (!paper->figures.figure[i].caption)
            printf("skipped %s: %s\n", paper->figures.figure[i].name,
                   paper->figures.figure[i].reason ? paper->figures.figure[i].reason : "");
    printf("%s/index.html: %zu figures, %zu points\n", folder, drawn, paper->source.points);
    if (paper->content.compiled)
        printf("%s/paper.pdf: compiled from paper.tex\n", folder);
}

static int write_paper(struct paper *paper, const char *folder, struct error *error)
{
    if (folder_begin(folder, &paper->made, error) != 0 || fill(paper, error) != 0 ||
        folder_put(&paper->made, folder, error) != 0)
        return -1;
    print_summary(paper, folder);
    return paper->content.compiled || options_given(paper->arguments, "no-compile") ? EXIT_FINE : EXIT_POINTS;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct paper paper = {.arguments = arguments, .made = {.lock = -1}};
    const char *folder = options_text(arguments, "output");
    int code = -1;
    if (!folder || !*folder)
        return error_set(error, ERROR_USAGE, "paper needs a folder to write: -o DIR");
    if (folder_check(folder, options_given(arguments, "overwrite"), error) != 0 ||
        find_analysis(&paper, error) != 0)
        goto out;
    if (source_read(arguments->operand, arguments->operands, &paper.source, error) == 0)
        code = write_paper(&paper, folder, error);
out:
    content_free(&paper.content);
    figures_free(&paper.figures);
    source_free(&paper.source);
    if (paper.pairs.pair)
        pairs_free(&paper.pairs);
    text_free(&paper.pairs_path);
    free(paper.analysis);
    scratch_free(&paper.made);
    return code;
}

const struct command command_paper = {
    .name = "paper",
    .operands = "FILE.h5...",
    .operands_min = 1,
    .operands_max = FILES_MAX,
    .summary = "write all figures, tables and the method as a LaTeX paper and a web page",
    .details =
        "Writes DIR/paper.tex with figures/, tables/ and sections/, which can be used in other papers.\n"
        "pdflatex compiles it to paper.pdf (Debian and Ubuntu: " COMPILE_PACKAGES
        "). DIR/index.html shows the\n"
        "same and a table of all points; it loads nothing from the network.\n"
        "\n"
        "Equal files give equal output, except for figures/*.pdf, with the same versions of gnuplot and TeX\n"
        "Live. DIR is complete, or it is not created.\n"
        "\n"
        "--overwrite removes only files that " FOLDER_MANIFEST " in DIR lists and that are unchanged. Your\n"
        "other files stay. If you changed a listed file, the command names it and changes nothing: move it,\n"
        "because only you know which of both versions you need.\n"
        "\n"
        "Exit code: 0; 1 if only paper.pdf is missing, with the reason on stderr.\n",
    .examples = "  warpsweep paper results.h5 -o paper\n"
                "  warpsweep paper hopper.h5 blackwell.h5 -o paper --title 'Two generations'\n",
    .options = options,
    .run = run,
};
