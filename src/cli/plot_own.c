#include "cli/plot_own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/column_name.h"
#include "table/heads.h"
#include "table/view.h"
#include "table/where.h"

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

#define EVERY "*" /* of figure.h: points of every family */

/* Whether families are told apart: --panel kernel, or --by kernel. */
static bool tells_families(const struct arguments *arguments)
{
    const char *panel = options_text(arguments, "panel"), *by;
    bool found = panel && !strcmp(panel, COLUMN(kernel));
    for (int k = 0; (by = options_each(arguments, "by", k)) && !found; k++)
        found = !strcmp(by, COLUMN(kernel));
    return found;
}

/* The family that is drawn: that of --kernel, the only one that --where leaves of the files, or EVERY. */
static const char *choose_kernel(const struct arguments *arguments, const struct merged *merged,
                                 const char *const *filter, struct error *error)
{
    const char *named = options_text(arguments, "kernel");
    struct view view = view_new(&merged->all);
    struct view_column column;
    const char *kernel = NULL;
    if (named) {
        kernel = where_keep_kernel(&view, named, error) == 0 ? named : NULL;
    } else if (view_find_column(&merged->all, COLUMN(kernel), &column, error) == 0 &&
               where_keep_all(&view, filter, error) == 0) {
        if (!view.rows)
            error_set(error, ERROR_USAGE, "no point meets --where");
        else if (view_distinct(&view, &column, 2) == 1)
            kernel = merge_text(merged, view.row[0], COLUMN(kernel));
        else if (tells_families(arguments))
            kernel = EVERY;
        else
            error_set(error, ERROR_USAGE,
                      "these are points of several families: choose one with --kernel, or --panel kernel");
    }
    view_free(&view);
    return kernel;
}

/* "Time (us)" as the label of the axis along x, and `scale`, by which its numbers are divided: axes of a sweep keep their unit,
 * measured columns have one that fits their size. */
static void label(const struct merged *merged, const char *kernel, const struct column *column,
                  const char *name, bool measured, double *scale, struct text *out)
{
    double top = NAN;
    for (size_t row = 0; row < merged->all.results.rows && measured; row++)
        if (column->type == COLUMN_REAL &&
            (!strcmp(kernel, EVERY) || !strcmp(merge_text(merged, row, COLUMN(kernel)), kernel)))
            top = fmax(top, merge_real(merged, row, name));
    struct head head = heads_of(column, name, top);
    const char *unit = measured && *head.unit ? head.unit : column->unit;
    *scale = measured && *head.unit ? head.scale : 1;
    text_add(out, "#: xlabel %s (%s)\n", head.name, *unit ? unit : "1");
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

int plot_own_make(const struct arguments *arguments, const struct merged *merged, const char *const *filter,
                  struct figure *figure, struct error *error)
{
    const char *x = options_text(arguments, "x"), *y = options_text(arguments, "y");
    struct view_column of_x, of_y;
    struct text text = {0}, name = {0};
    const char *kernel = choose_kernel(arguments, merged, filter, error);
    *figure = (struct figure){0};
    if (!kernel || find(merged, x, true, &of_x, error) != 0 || find(merged, y, true, &of_y, error) != 0)
        return -1;
    const struct column *along = view_header(&merged->all, &of_x), *up = view_header(&merged->all, &of_y);
    bool dots = !view_is_axis(&merged->all, of_x.index);
    double scale;
    bool every = !strcmp(kernel, EVERY);
    text_add(&text, "#: title %s%s%s against %s\n#: kernel %s\n#: x %s\n#: y %s\n", heads_of(up, y, NAN).name,
             every ? "" : " of ", every ? "" : kernel, x, kernel, x, y);
    label(merged, kernel, along, x, dots, &scale, &text);
    if (scale != 1)
        text_add(&text, "#: derive x_in_its_unit=%s/%.9g\n#: place x_in_its_unit\n", x, scale);
    if (!strcmp(y, COLUMN(time_median)))
        text_add(&text, "#: interval time_ci_low time_ci_high 95_%%_intervals_of_the_median_time\n");
    if (options_given(arguments, "log"))
        text_add(&text, "#: yscale log10\n");
    if (dots)
        text_add(&text, "#: draw dots\n");
    text_add(&name, "%s_%s_%s", every ? "kernels" : kernel, y, x);
    int failed = add_series(arguments, merged, &text, error);
    if (!failed)
        failed = figure_parse(text.data, name.data, figure, error);
    else
        text_free(&text);
    figure->all_axes = true;
    text_free(&name);
    return failed;
}
