#include "cli/plot_own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/column_name.h"
#include "output/heads.h"
#include "results/view.h"
#include "results/where.h"

int plot_own_wanted(const struct arguments *arguments, struct error *error)
{
    static const char *const others[] = {"by", "panel", "kernel", "log", NULL};
    bool x = options_given(arguments, "x"), y = options_given(arguments, "y");
    if (x && y && options_given(arguments, "figure"))
        return error_set(error, ERROR_USAGE,
                         "--figure names a figure and --x describes another one: choose one");
    if (x != y)
        return error_set(error, ERROR_USAGE, "--%s needs --%s too: plot FILE.h5 -o DIR --x AXIS --y COLUMN",
                         x ? "x" : "y", x ? "y" : "x");
    for (int i = 0; !x && others[i]; i++)
        if (options_given(arguments, others[i]))
            return error_set(error, ERROR_USAGE, "--%s belongs to a figure of --x AXIS --y COLUMN",
                             others[i]);
    return x;
}

/* The family that is drawn: that of --kernel, or the only one of the files. */
static const char *choose_kernel(const struct arguments *arguments, const struct merged *merged,
                                 struct error *error)
{
    const char *named = options_text(arguments, "kernel");
    struct view view = view_new(&merged->all);
    struct view_column column;
    const char *kernel = NULL;
    if (named) {
        kernel = where_keep_kernel(&view, named, error) == 0 ? named : NULL;
    } else if (view_find_column(&merged->all, COLUMN(kernel), &column, error) == 0) {
        if (view.rows && view_distinct(&view, &column, 2) == 1)
            kernel = merge_text(merged, view.row[0], COLUMN(kernel));
        else
            error_set(error, ERROR_USAGE,
                      "the files have points of several families: choose one with --kernel");
    }
    view_free(&view);
    return kernel;
}

/* "Bandwidth (bytes/s)" as the label of an axis along x. */
static void label(const struct column *column, const char *name, struct text *out)
{
    text_add(out, "%s (%s)", heads_of(column, name, NAN).name, *column->unit ? column->unit : "1");
}

static int find(const struct merged *merged, const char *name, bool number, struct view_column *column,
                struct error *error)
{
    if (view_find_column(&merged->all, name, column, error) != 0)
        return -1;
    if (column->of_device)
        return error_set(error, ERROR_USAGE, "'%s' is a column of /devices; a figure is of points", name);
    if (number && view_header(&merged->all, column)->type == COLUMN_TEXT)
        return error_set(error, ERROR_USAGE, "'%s' holds words; an axis of a figure needs numbers (--by %s)",
                         name, name);
    return 0;
}

/* The directives of the columns that divide the points into curves. */
static int add_series(const struct arguments *arguments, const struct merged *merged, struct text *text,
                      struct error *error)
{
    const char *panel = options_text(arguments, "panel"), *by;
    struct view_column column;
    struct text names = {0};
    int failed = 0;
    for (int k = 0; (by = options_each(arguments, "by", k)) && !failed; k++) {
        failed = find(merged, by, false, &column, error);
        text_add(&names, " %s", by);
    }
    if (panel && !failed) {
        failed = find(merged, panel, false, &column, error);
        text_add(text, "#: panel %s\n", panel);
        text_add(&names, " %s", panel);
    }
    text_add(text, "#: series%s\n", names.length ? names.data : " variant");
    text_free(&names);
    return failed;
}

int plot_own_make(const struct arguments *arguments, const struct merged *merged, struct figure *figure,
                  struct error *error)
{
    const char *x = options_text(arguments, "x"), *y = options_text(arguments, "y");
    struct view_column of_x, of_y;
    struct text text = {0}, name = {0};
    const char *kernel = choose_kernel(arguments, merged, error);
    *figure = (struct figure){0};
    if (!kernel || find(merged, x, true, &of_x, error) != 0 || find(merged, y, true, &of_y, error) != 0)
        return -1;
    const struct column *along = view_header(&merged->all, &of_x), *up = view_header(&merged->all, &of_y);
    bool dots = !view_is_axis(&merged->all, of_x.index);
    text_add(&text, "#: title %s of %s against %s\n#: kernel %s\n#: x %s\n#: y %s\n#: xlabel ",
             heads_of(up, y, NAN).name, kernel, x, kernel, x, y);
    label(along, x, &text);
    text_add(&text, "\n");
    if (!strcmp(y, COLUMN(time_median)))
        text_add(&text, "#: interval time_ci_low time_ci_high 95_%%_intervals_of_the_median_time\n");
    if (options_given(arguments, "log"))
        text_add(&text, "#: yscale log10\n");
    if (dots)
        text_add(&text, "#: draw dots\n");
    text_add(&name, "%s_%s_%s", kernel, y, x);
    int failed = add_series(arguments, merged, &text, error);
    if (!failed)
        failed = figure_parse(text.data, name.data, figure, error);
    else
        text_free(&text);
    figure->all_axes = true;
    text_free(&name);
    return failed;
}
