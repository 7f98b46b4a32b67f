/* plot - every figure that the results files have the data for. */
#include "cli/command.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/data/shipped.h"
#include "cli/figure/gnuplot.h"
#include "cli/figure/tables.h"

static const struct command_option options[] = {
    {"output", 'o', "DIR", NULL, NULL, "the folder to draw into; made when it is not there"},
    {"figure", 'F', "NAME", NULL, NULL, "only this figure; may be repeated"},
    {"format", 'f', "FORMAT", "pdf", gnuplot_formats, "kind of file"},
    {"analysis", 0, "DIR", NULL, NULL, "the folder of the figures' gnuplot files, to use your own"},
    {"data", 0, NULL, NULL, NULL, "leave NAME.tsv and NAME.plot beside each figure"},
    {0},
};

#define FILES_MAX 64

struct plotting {
    struct merged merged;
    struct gnuplot_output output;
    struct figure *figure; /* owned */
    size_t figures;
};

/* The folder of the figures: the one that was named, or ours. */
static char *find_analysis(const char *named, struct error *error)
{
    struct text style = {0};
    char *whole = NULL;
    text_add(&style, "%s/style.gp", named ? named : "");
    if (!named)
        whole = shipped_folder("style.gp");
    else if (access(style.data, R_OK) == 0)
        whole = realpath(named, NULL);
    text_free(&style);
    if (!whole)
        error_set(error, ERROR_ENVIRONMENT, "no figures in %s: it has no readable style.gp",
                  named ? named : shipped_place());
    return whole;
}

/* Every .gp of the folder that begins with directives; style.gp and palette.gp do not. */
static int read_figures(struct plotting *plotting, struct error *error)
{
    struct text pattern = {0};
    glob_t found;
    int failed = 0;
    text_add(&pattern, "%s/*.gp", plotting->output.analysis);
    int status = glob(pattern.data, 0, NULL, &found);
    text_free(&pattern);
    if (status != 0)
        return error_set(error, ERROR_ENVIRONMENT, "no figures in %s", plotting->output.analysis);
    plotting->figure = memory_new(found.gl_pathc, sizeof *plotting->figure);
    for (size_t i = 0; i < found.gl_pathc && !failed; i++) {
        const char *slash = strrchr(found.gl_pathv[i], '/');
        if (!strcmp(slash, "/style.gp") || !strcmp(slash, "/palette.gp"))
            continue;
        failed = figure_read(found.gl_pathv[i], &plotting->figure[plotting->figures], error);
        plotting->figures += !failed;
    }
    globfree(&found);
    return failed;
}

static bool is_wanted(const struct arguments *arguments, const char *name)
{
    const char *wanted;
    for (int k = 0; (wanted = options_each(arguments, "figure", k)); k++)
        if (!strcmp(wanted, name))
            return true;
    return !options_given(arguments, "figure");
}

static int check_names(const struct arguments *arguments, const struct plotting *plotting,
                       struct error *error)
{
    const char **known = memory_new(plotting->figures + 1, sizeof *known), *wanted;
    int failed = 0;
    for (size_t i = 0; i < plotting->figures; i++)
        known[i] = plotting->figure[i].name;
    for (int k = 0; !failed && (wanted = options_each(arguments, "figure", k)); k++) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], wanted) != 0)
            i++;
        if (!known[i])
            failed = options_unknown(error, "figure", wanted, known);
    }
    free(known);
    return failed;
}

/* 1: drawn; 0: skipped; -1: error. `caption` is added to what the figure says of itself. */
static int draw(const struct plotting *plotting, const struct figure *figure, const struct merged *merged,
                const struct text *caption, struct error *error)
{
    struct figure_data data;
    struct error why = {0};
    if (!figure_collect(figure, merged, &data, &why)) {
        printf("skipped %s: %s\n", figure->name, why.text);
        return 0;
    }
    if (caption->length)
        text_add(&data.conditions, "%s", caption->data);
    int failed = gnuplot_draw(figure, merged, &data, &plotting->output, error);
    figure_data_free(&data);
    if (failed)
        return -1;
    char *file = gnuplot_file(&plotting->output, figure->name);
    printf("%s: %s\n", file, figure->title);
    free(file);
    return 1;
}

/* A figure of a table that is worked out from the files. */
static int draw_table(const struct arguments *arguments, const struct plotting *plotting,
                      const struct figure *figure, struct error *error)
{
    struct merged table;
    struct text caption = {0};
    struct error why = {0};
    int done = 0;
    if (figure_table(figure->table, arguments->operand, arguments->operands, &plotting->merged, &table,
                     &caption, &why) != 0) {
        printf("skipped %s: %s\n", figure->name, why.text);
    } else {
        done = draw(plotting, figure, &table, &caption, error);
        figure_table_free(&table);
    }
    text_free(&caption);
    return done;
}

static int draw_all(const struct arguments *arguments, const struct plotting *plotting, struct error *error)
{
    size_t drawn = 0, wanted = 0;
    for (size_t i = 0; i < plotting->figures; i++) {
        if (!is_wanted(arguments, plotting->figure[i].name))
            continue;
        const struct figure *figure = &plotting->figure[i];
        const struct text nothing = {0};
        int done = figure->table ? draw_table(arguments, plotting, figure, error)
                                 : draw(plotting, figure, &plotting->merged, &nothing, error);
        if (done < 0)
            return -1;
        wanted++;
        drawn += (size_t)done;
    }
    bool named = options_given(arguments, "figure");
    return drawn && (!named || drawn == wanted) ? EXIT_FINE : EXIT_POINTS;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct plotting plotting = {.output = {.folder = options_text(arguments, "output"),
                                           .format = options_text(arguments, "format"),
                                           .keep_data = options_given(arguments, "data")}};
    int code = -1;
    if (!plotting.output.folder)
        return error_set(error, ERROR_USAGE, "plot needs a folder to draw into: -o DIR");
    char *analysis = find_analysis(options_text(arguments, "analysis"), error);
    if (!analysis)
        return -1;
    plotting.output.analysis = analysis;
    if (read_figures(&plotting, error) != 0 || check_names(arguments, &plotting, error) != 0 ||
        io_make_folders(plotting.output.folder, error) != 0)
        goto out;
    if (merge_read(arguments->operand, arguments->operands, &plotting.merged, error) != 0)
        goto out;
    code = draw_all(arguments, &plotting, error);
    merge_free(&plotting.merged);
out:
    for (size_t i = 0; i < plotting.figures; i++)
        figure_free(&plotting.figure[i]);
    free(plotting.figure);
    free(analysis);
    return code;
}

const struct command command_plot = {
    .name = "plot",
    .operands = "FILE.h5...",
    .least = 1,
    .most = FILES_MAX,
    .summary = "figures, by gnuplot, of what results files have the data for",
    .details =
        "Figures whose data is not in the files are skipped, with the reason. Several files, or devices, "
        "become\n"
        "curves of their own. pdf, the default, is a vector figure 3.4 in wide: one column of a paper.\n\n"
        "Exit code: 0 when figures were drawn, 1 when none could be or one asked for by name was skipped.\n",
    .examples = "  warpsweep plot results.h5 -o figures\n"
                "  warpsweep plot hopper.h5 blackwell.h5 -o figures --figure copy_stride --format epslatex\n",
    .options = options,
    .run = run,
};
