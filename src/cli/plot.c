/* plot - draw each figure whose data is in the results files. */
#include "cli/command.h"
#include "cli/plot_own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "core/dtype.h"
#include "figure/caption.h"
#include "figure/layout/gnuplot.h"
#include "figure/tables/tables.h"
#include "table/heads.h"
#include "process/shipped.h"
#include "results/derive.h"
#include "table/where.h"

static const char *const caption_words[] = {"in", "beside", "brief", "none", NULL};

static const struct command_option options[] = {
    {"output", 'o', "DIR", NULL, NULL, "the folder to draw into; created if missing"},
    {"figure", 'F', "NAME", NULL, NULL, "only this figure; may be repeated"},
    {"list", 0, NULL, NULL, NULL, "print the names and titles of the figures"},
    {"x", 0, "COLUMN", NULL, NULL, "a figure of your own: the axis along x; needs --y"},
    {"y", 0, "COLUMN", NULL, NULL, "the column along y, such as bandwidth or time_median"},
    {"by", 0, "COLUMN", NULL, NULL, "one curve for each value; may be repeated; default: variant"},
    {"panel", 0, "COLUMN", NULL, NULL, "one panel for each value"},
    {"log", 0, NULL, NULL, NULL, "a logarithmic y axis"},
    {"kernel", 'k', "NAME", NULL, NULL, "the family, if the files have several"},
    {"where", 'w', "COLUMN=V,V", NULL, NULL,
     "only points with one of these values; also =A..B, !=, <, <=, >, >=; may be repeated"},
    {"width", 0, "LENGTH", "3.4in", NULL,
     "width of the page in in, cm, mm or pt: 3.4in is one column, 7in two"},
    {"normalise", 0, NULL, NULL, NULL, "plot shares of each device's roofs, with the ratio of devices below"},
    {"heat", 0, "AXIS,AXIS", NULL, NULL, "speed-up between two files as a heat map over two axes"},
    {"caption", 0, "WHERE", "beside", caption_words,
     "captions in the figure, in files beside it, beside without devices and files, or none"},
    {"format", 'f', "FORMAT", "pdf", gnuplot_formats, "file format"},
    {"analysis", 0, "DIR", NULL, NULL, "folder of your own figures (gnuplot files)"},
    {"data", 0, NULL, NULL, NULL, "keep NAME.tsv and NAME.plot beside each figure"},
    {"verbose", 'v', NULL, NULL, NULL, "the reason for each figure that is skipped"},
    OPTION_SALVAGE,
    {0},
};

#define FILES_MAX  64
#define WIDTH_MIN  2.0 /* inches */
#define WIDTH_MAX  20.0
#define HEIGHT_MAX 22.0 /* inches: two pages; a higher figure is no figure */
/* Computer Modern at 6 pt is 13 % wider than DejaVu Sans; Times is narrower. */
#define LATEX_STRETCH 1.15

struct plotting {
    struct merged merged;
    struct gnuplot_output output;
    struct figure *figure; /* owned */
    size_t figures;
    const char **filter; /* owned; --where, NULL-terminated */
    struct font *font;
    struct style_slots *slots;
    struct chart_options chart;
    double width;        /* inches */
    const char *caption; /* one of caption_words */
    bool reasons;        /* print why each figure is skipped */
    struct text skipped; /* their names, if not */
};

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
    for (int k = 0; !failed && (wanted = options_each(arguments, "figure", k)); k++)
        if (text_find(known, wanted) < 0)
            failed = suggest_unknown(error, "figure", wanted, known);
    free(known);
    return failed;
}

/* Add the figure's derived columns. Another figure may have derived one of this name, by the same definition or another. */
static int derive(const struct figure *figure, struct merged *merged, struct error *why)
{
    for (int i = 0; figure->derive[i]; i++)
        if (derive_column_again(&merged->all, figure->derive[i], why) != 0)
            return -1;
    return 0;
}

static int skip(struct plotting *plotting, const char *name, struct error *why)
{
    why->text[strcspn(why->text, "\n;")] = '\0'; /* one line */
    if (plotting->reasons)
        printf("skipped %s: %s\n", name, why->text);
    else
        text_add(&plotting->skipped, "%s%s", plotting->skipped.length ? ", " : "", name);
    return 0;
}

/* 1: drawn; 0: it is too high, with the reason; -1: error. */
static int draw_chart(const struct plotting *plotting, const struct figure *figure, struct chart *chart,
                      const char *caption, struct error *why, struct error *error)
{
    struct layout layout;
    layout_make(chart, plotting->font, plotting->width, strcmp(plotting->caption, "in") ? NULL : caption,
                &layout);
    if (layout.height > HEIGHT_MAX) {
        error_set(why, ERROR_USAGE,
                  "it would be %.0f in high: use columns with fewer values, or select points with --where",
                  layout.height);
        layout_free(&layout);
        return 0;
    }
    int failed = gnuplot_draw(figure, chart, &layout, &plotting->output, error);
    if (!failed && (!strcmp(plotting->caption, "beside") || !strcmp(plotting->caption, "brief")))
        failed = caption_write(plotting->output.folder, figure, caption, error);
    layout_free(&layout);
    return failed ? -1 : 1;
}

/* 1: drawn; 0: skipped; -1: error. `remark` is added to the caption. */
static int draw(struct plotting *plotting, const struct figure *figure, struct merged *merged,
                const char *remark, struct error *error)
{
    struct figure_data data = {0};
    struct chart chart;
    struct error why = {0};
    dataset_evict(&plotting->merged.all);
    if (derive(figure, merged, &why) != 0 ||
        figure_collect(figure, plotting->filter, merged, &data, &why) != 1 ||
        !chart_build(figure, merged, &data, plotting->slots, &plotting->chart, &chart, &why)) {
        figure_data_free(&data);
        return skip(plotting, figure->name, &why);
    }
    struct text caption =
        caption_make(figure, merged, &data, &chart, remark, !strcmp(plotting->caption, "brief"));
    int drawn = draw_chart(plotting, figure, &chart, caption.data, &why, error);
    text_free(&caption);
    chart_free(&chart);
    figure_data_free(&data);
    if (drawn < 1)
        return drawn < 0 ? -1 : skip(plotting, figure->name, &why);
    char *file = gnuplot_file(&plotting->output, figure->name);
    printf("%s: %s\n", file, figure->title);
    free(file);
    return 1;
}

/* The axes of a heat map are labelled with the columns of --heat. */
static void label_heat(const struct frame *results, const char *axes, char labels[2][256],
                       struct figure *figure)
{
    const char *name = axes;
    for (int i = 0; i < 2; i++) {
        char one[128];
        size_t length = strcspn(name, ",");
        snprintf(one, sizeof one, "%.*s", (int)length, name);
        const struct column *column = &results->column[frame_find(results, one)];
        snprintf(labels[i], sizeof labels[i], "%s (%s)", heads_of(column, one, NAN).name,
                 *column->unit ? column->unit : "name");
        name += length + (name[length] == ',');
    }
    figure->x_label = labels[0];
    figure->y_label = labels[1];
}

/* A figure of a computed table. */
static int draw_table(const struct arguments *arguments, struct plotting *plotting,
                      const struct figure *figure, struct error *error)
{
    struct merged table;
    struct text remark = {0}, title = {0};
    struct error why = {0};
    const struct table_source source = {arguments->operand,
                                        arguments->operands,
                                        &plotting->merged,
                                        plotting->filter,
                                        options_text(arguments, "heat"),
                                        &title};
    int done = 0;
    if (figure_table(figure->table, &source, &table, &remark, &why) != 0) {
        done = skip(plotting, figure->name, &why);
    } else {
        char labels[2][256];
        struct figure own = *figure;
        if (!strcmp(figure->table, "heat"))
            label_heat(&plotting->merged.all.results, source.heat, labels, &own);
        if (title.length)
            own.title = title.data;
        done = draw(plotting, &own, &table, remark.length ? remark.data : "", error);
        figure_table_free(&table);
    }
    text_free(&remark);
    text_free(&title);
    return done;
}

static int draw_all(const struct arguments *arguments, struct plotting *plotting, struct error *error)
{
    size_t drawn = 0, wanted = 0;
    for (size_t i = 0; i < plotting->figures; i++) {
        if (!is_wanted(arguments, plotting->figure[i].name))
            continue;
        const struct figure *figure = &plotting->figure[i];
        int done = figure->table ? draw_table(arguments, plotting, figure, error)
                                 : draw(plotting, figure, &plotting->merged, "", error);
        if (done < 0)
            return -1;
        wanted++;
        drawn += (size_t)done;
    }
    if (plotting->skipped.length)
        printf("skipped, without data for them: %s (-v: the reasons)\n", plotting->skipped.data);
    bool named = options_given(arguments, "figure");
    return drawn && (!named || drawn == wanted) ? EXIT_FINE : EXIT_POINTS;
}

/* "3.4in" in inches; 0 if it is not a length. */
static double read_width(const char *text)
{
    static const struct {
        const char *unit;
        double inches;
    } units[] = {{"in", 1}, {"cm", 1 / 2.54}, {"mm", 1 / 25.4}, {"pt", 1 / 72.0}};
    char *end;
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(end, units[i].unit) && number > 0)
            return number * units[i].inches;
    return 0;
}

static int read_options(const struct arguments *arguments, struct plotting *plotting, struct error *error)
{
    const char *one;
    plotting->reasons = options_given(arguments, "verbose") || options_given(arguments, "figure");
    plotting->output.folder = options_text(arguments, "output");
    plotting->output.format = options_text(arguments, "format");
    plotting->output.keep_data = options_given(arguments, "data");
    plotting->caption = options_text(arguments, "caption");
    plotting->chart.normalise = options_given(arguments, "normalise");
    plotting->width = read_width(options_text(arguments, "width"));
    if (!plotting->output.folder)
        return error_set(error, ERROR_USAGE, "plot needs a folder to draw into: -o DIR");
    if (!(plotting->width >= WIDTH_MIN && plotting->width <= WIDTH_MAX))
        return error_set(error, ERROR_USAGE,
                         "--width '%s': expected a length from %g to %g in, such as 3.4in or 86mm",
                         options_text(arguments, "width"), WIDTH_MIN, WIDTH_MAX);
    for (int k = 0; (one = options_each(arguments, "where", k)); k++) {
        plotting->filter = memory_resize(plotting->filter, (size_t)k + 2, sizeof *plotting->filter);
        plotting->filter[k] = one;
        plotting->filter[k + 1] = NULL;
    }
    return 0;
}

/* Reports an error in --where once, not per figure. */
static int check_filter(const struct plotting *plotting, struct error *error)
{
    struct view view = view_new(&plotting->merged.all);
    int failed = where_keep_all(&view, plotting->filter, error);
    view_free(&view);
    return failed;
}

/* Figures derive the width of accesses from the bytes per element. */
static void add_dtype_bytes(struct merged *merged)
{
    struct frame *results = &merged->all.results;
    int dtype = frame_find(results, COLUMN(dtype));
    if (dtype < 0)
        return;
    int column =
        frame_add_column(results, "dtype_bytes", COLUMN_REAL, ROLE_OTHER, "bytes", "bytes of an element");
    for (size_t row = 0; row < results->rows; row++)
        for (int type = 0; type < DTYPE_COUNT; type++)
            if (!strcmp(frame_cell(results, row, dtype)->text, dtype_words[type]))
                frame_put_real(results, row, column, (double)dtype_bits((enum dtype)type) / 8);
}

/* The figure that the command line describes, drawn instead of those of the folder. */
static int draw_own(const struct arguments *arguments, struct plotting *plotting, struct error *error)
{
    struct figure figure;
    if (plot_own_make(arguments, &plotting->merged, plotting->filter, &figure, error) != 0)
        return -1;
    plotting->reasons = true;
    int drawn = draw(plotting, &figure, &plotting->merged, "", error);
    figure_free(&figure);
    return drawn < 0 ? -1 : drawn ? EXIT_FINE : EXIT_POINTS;
}

static int print_list(struct plotting *plotting, const char *named, struct error *error)
{
    char *analysis = shipped_folder(named, "style.gp", error);
    if (!analysis)
        return -1;
    int failed = figures_read(analysis, &plotting->figure, &plotting->figures, error);
    for (size_t i = 0; i < plotting->figures && !failed; i++)
        printf("%-22s %s\n", plotting->figure[i].name, plotting->figure[i].title);
    free(analysis);
    return failed ? -1 : EXIT_FINE;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct plotting plotting = {0};
    int code = -1;
    char *analysis = NULL;
    if (options_given(arguments, "list")) {
        code = print_list(&plotting, options_text(arguments, "analysis"), error);
        goto out;
    }
    int own = plot_own_wanted(arguments, error);
    if (own < 0)
        goto out;
    if (!arguments->operands) {
        error_set(error, ERROR_USAGE, "plot needs FILE.h5...; see warpsweep plot --help");
        goto out;
    }
    if (read_options(arguments, &plotting, error) != 0)
        goto out;
    analysis = shipped_folder(options_text(arguments, "analysis"), "style.gp", error);
    if (!analysis)
        goto out;
    plotting.output.analysis = analysis;
    plotting.font = font_open(error);
    if (!plotting.font)
        goto out;
    if (strstr(plotting.output.format, "latex"))
        font_stretch(plotting.font, LATEX_STRETCH);
    plotting.slots = style_slots_new();
    if (figures_read(analysis, &plotting.figure, &plotting.figures, error) != 0 ||
        check_names(arguments, &plotting, error) != 0)
        goto out;
    if (merge_read(arguments->operand, arguments->operands, &plotting.merged, error) != 0)
        goto out;
    add_dtype_bytes(&plotting.merged);
    if (check_filter(&plotting, error) == 0 && io_make_folders(plotting.output.folder, error) == 0)
        code = own ? draw_own(arguments, &plotting, error) : draw_all(arguments, &plotting, error);
    merge_free(&plotting.merged);
out:
    for (size_t i = 0; i < plotting.figures; i++)
        figure_free(&plotting.figure[i]);
    free(plotting.figure);
    free(plotting.filter);
    text_free(&plotting.skipped);
    style_slots_free(plotting.slots);
    font_close(plotting.font);
    free(analysis);
    return code;
}

const struct command command_plot = {
    .name = "plot",
    .operands = "FILE.h5...",
    .operands_min = 0, /* --list needs none */
    .operands_max = FILES_MAX,
    .summary = "draw figures of results files with gnuplot",
    .details =
        "Draws each figure whose data is in the files; the others are skipped, with -v with a reason. "
        "Several files,\n"
        "or devices, become panels on a common scale. The default is a vector PDF of 3.4 in, one column of "
        "a\n"
        "paper. NAME.caption.tex and NAME.caption.txt describe the data, the device and the intervals.\n"
        "\n"
        "Exit code: 0 if figures were drawn, 1 if none was drawn or one selected with --figure was "
        "skipped.\n",
    .examples =
        "  warpsweep plot results.h5 -o figures\n"
        "  warpsweep plot --list\n"
        "  warpsweep plot results.h5 -o figures --kernel copy --x stride --y bandwidth --by dtype --log\n"
        "  warpsweep plot hopper.h5 blackwell.h5 -o figures --figure copy_stride --format epslatex\n",
    .options = options,
    .run = run,
};
