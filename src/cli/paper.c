/* paper - a folder with everything that results files have to show: figures, tables, captions, method; as a paper to
 * compile and as a page to look at. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "paper/compile.h"
#include "paper/content.h"
#include "paper/folder.h"
#include "paper/html.h"
#include "paper/tex.h"
#include "process/shipped.h"

#define FILES_MAX 64
#define MARK      "paper.tex" /* what tells a folder of ours */

static const struct command_option options[] = {
    {"output", 'o', "DIR", NULL, NULL, "the folder to make"},
    {"overwrite", 0, NULL, NULL, NULL, "replace DIR when this command has made it"},
    {"title", 't', "TEXT", NULL, NULL, "of the paper and of the page"},
    {"no-compile", 0, NULL, NULL, NULL, "leave paper.tex as it is: no paper.pdf"},
    {"no-figures-pdf", 0, NULL, NULL, NULL,
     "once paper.pdf is made, drop its figures/*.pdf: a smaller folder, to look at"},
    {"pairs", 'p', "FILE", NULL, NULL, "the pairs to look for, to use your own; else analysis/pairs.yaml"},
    {"analysis", 0, "DIR", NULL, NULL, "the folder of figures and of paper/, to use your own"},
    {0},
};

/* What is read, and where it goes. */
struct making {
    const struct arguments *arguments;
    char *analysis, *folder; /* owned: of figures; the one that is being filled */
    struct source source;
    struct pair_table pairs;
    struct text pairs_path;
    struct figures figures;
    struct content content;
};

static int find_analysis(struct making *making, struct error *error)
{
    const char *named = options_text(making->arguments, "analysis"),
               *pairs = options_text(making->arguments, "pairs");
    struct text style = {0};
    text_add(&style, "%s/paper/page.css", named ? named : "");
    if (!named)
        making->analysis = shipped_folder("paper/page.css");
    else if (access(style.data, R_OK) == 0)
        making->analysis = realpath(named, NULL);
    text_free(&style);
    if (!making->analysis)
        return error_set(error, ERROR_ENVIRONMENT, "%s has no readable paper/page.css",
                         named ? named : shipped_place());
    text_add(&making->pairs_path, "%s%s", pairs ? pairs : making->analysis, pairs ? "" : "/pairs.yaml");
    return pairs_read(making->pairs_path.data, &making->pairs, error);
}

static void drop_figures(const struct making *making)
{
    for (size_t i = 0; i < making->figures.count; i++) {
        struct text path = {0};
        text_add(&path, "%s/figures/%s.pdf", making->folder, making->figures.figure[i].name);
        unlink(path.data);
        text_free(&path);
    }
}

/* A paper that cannot be compiled here is a remark: all else is there. */
static void compile(struct making *making)
{
    struct error why = {0};
    making->content.figures_pdf = true;
    if (options_given(making->arguments, "no-compile"))
        return;
    if (compile_paper(making->folder, making->content.seconds, &why) != 0) {
        fprintf(stderr, "warpsweep: no paper.pdf: %s\n", why.text);
        return;
    }
    making->content.compiled = true;
    if (options_given(making->arguments, "no-figures-pdf")) {
        drop_figures(making);
        making->content.figures_pdf = false;
    }
}

static int fill(struct making *making, struct error *error)
{
    const struct arguments *arguments = making->arguments;
    struct text figures = {0};
    text_add(&figures, "%s/figures", making->folder);
    int failed = figures_draw(arguments->operand, arguments->operands, making->analysis, figures.data,
                              &making->figures, error);
    text_free(&figures);
    if (failed)
        return -1;
    content_make(&making->source, &making->pairs, &making->figures, options_text(arguments, "title"),
                 &making->content);
    if (tex_write(&making->content, making->analysis, making->folder, error) != 0)
        return -1;
    compile(making);
    return html_write(&making->content, making->analysis, making->folder, error);
}

static void say(const struct making *making, const char *folder)
{
    size_t drawn = 0;
    for (size_t i = 0; i < making->figures.count; i++)
        drawn += making->figures.figure[i].caption != NULL;
    for (size_t i = 0; i < making->figures.count; i++)
        if (!making->figures.figure[i].caption)
            printf("skipped %s: %s\n", making->figures.figure[i].name,
                   making->figures.figure[i].reason ? making->figures.figure[i].reason : "");
    printf("%s/index.html: %zu figures, %zu points\n", folder, drawn, making->source.points);
    if (making->content.compiled)
        printf("%s/paper.pdf: of paper.tex\n", folder);
}

static int make(struct making *making, const char *folder, struct error *error)
{
    making->folder = folder_begin(folder, error);
    if (!making->folder)
        return -1;
    int failed = fill(making, error);
    if (!failed)
        failed = folder_put(making->folder, folder, error);
    if (failed) {
        folder_remove(making->folder);
        return -1;
    }
    say(making, folder);
    return making->content.compiled || options_given(making->arguments, "no-compile") ? EXIT_FINE
                                                                                      : EXIT_POINTS;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct making making = {.arguments = arguments};
    const char *folder = options_text(arguments, "output");
    int code = -1;
    if (!folder || !*folder)
        return error_set(error, ERROR_USAGE, "paper needs a folder to make: -o DIR");
    if (folder_check(folder, options_given(arguments, "overwrite"), MARK, error) != 0 ||
        find_analysis(&making, error) != 0)
        goto out;
    if (source_read(arguments->operand, arguments->operands, &making.source, error) == 0)
        code = make(&making, folder, error);
out:
    content_free(&making.content);
    figures_free(&making.figures);
    source_free(&making.source);
    if (making.pairs.pair)
        pairs_free(&making.pairs);
    text_free(&making.pairs_path);
    free(making.analysis);
    free(making.folder);
    return code;
}

const struct command command_paper = {
    .name = "paper",
    .operands = "FILE.h5...",
    .least = 1,
    .most = FILES_MAX,
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
        "Exit code: 0; 1 if only paper.pdf is missing, with the reason on stderr.\n",
    .examples = "  warpsweep paper results.h5 -o paper\n"
                "  warpsweep paper hopper.h5 blackwell.h5 -o paper --title 'Two generations'\n",
    .options = options,
    .run = run,
};
