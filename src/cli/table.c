/* table - rows and columns of a results file, for scripts, gnuplot and papers. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/data/filter.h"
#include "cli/data/print.h"
#include "cli/data/view.h"

static const struct command_option options[] = {
    FILTER_OPTIONS,
    {"columns", 'c', "NAME,NAME", NULL, NULL, "what to show, or all; device.NAME comes from /devices"},
    {"sort", 's', "NAME,NAME", NULL, NULL, "order of the rows, ascending"},
    {"format", 'f', "FORMAT", "tsv", print_formats,
     "raw SI numbers in tsv, csv and json, scaled ones in md and latex"},
    {"canaries", 0, NULL, NULL, NULL, "also the repetitions of points that show drift"},
    {0},
};

/* Calls `each` for every name of a comma-separated list. */
static int for_names(const char *list, struct view *view, struct error *error,
                     int (*each)(struct view *, const char *, struct error *))
{
    char *copy = memory_text(list), *rest = NULL;
    int failed = 0;
    for (char *name = strtok_r(copy, ",", &rest); name && !failed; name = strtok_r(NULL, ",", &rest))
        failed = each(view, name, error);
    free(copy);
    return failed;
}

static int add_column_if_there(struct view *view, const char *name)
{
    struct error ignored;
    return frame_find(&view->dataset->results, name) < 0 ? 0 : view_add_column(view, name, &ignored);
}

/* Kernel, the axes that vary, what became of the point, and its headline figures. */
static int add_useful_columns(struct view *view)
{
    const struct frame *results = &view->dataset->results;
    add_column_if_there(view, "kernel");
    for (int i = 0; i < results->columns; i++) {
        struct view_column column = {.index = i};
        if (view_is_axis(view->dataset, i) && view_distinct(view, &column, 2) > 1)
            add_column_if_there(view, results->column[i].name);
    }
    static const char *const headline[] = {"status",        "time_median",    "bandwidth",
                                           "bandwidth_low", "bandwidth_high", "fraction_peak"};
    for (size_t i = 0; i < sizeof headline / sizeof *headline; i++)
        add_column_if_there(view, headline[i]);
    return 0;
}

static int add_all_columns(struct view *view)
{
    for (int i = 0; i < view->dataset->results.columns; i++)
        add_column_if_there(view, view->dataset->results.column[i].name);
    return 0;
}

/* The last name is sorted by first: each sort keeps the order of equals. */
static int sort_by(struct view *view, const char *list, struct error *error)
{
    char *copy = memory_text(list);
    int failed = 0;
    while (!failed) {
        char *comma = strrchr(copy, ',');
        struct view_column column;
        failed = view_find_column(view->dataset, comma ? comma + 1 : copy, &column, error);
        if (failed || (view_sort(view, &column), !comma))
            break;
        *comma = '\0';
    }
    free(copy);
    return failed;
}

/* Points come into a file in the order they were measured, which is random: show them by their axes. */
static void sort_by_shown_axes(struct view *view)
{
    for (int i = view->columns; i-- > 0;)
        if (!view->column[i].of_device && view_is_axis(view->dataset, view->column[i].index))
            view_sort(view, &view->column[i]);
}

static int choose_columns(struct view *view, const char *columns, struct error *error)
{
    if (!columns)
        return add_useful_columns(view);
    if (!strcmp(columns, "all"))
        return add_all_columns(view);
    if (for_names(columns, view, error, view_add_column) != 0)
        return -1;
    return view->columns ? 0 : error_set(error, ERROR_USAGE, "--columns names no column");
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct dataset dataset;
    int code = -1;
    const char *sort = options_text(arguments, "sort");
    if (dataset_read(arguments->operand[0], &dataset, error) != 0)
        return -1;
    struct view view = view_new(&dataset);
    if (filter_rows(arguments, options_given(arguments, "canaries"), &view, error) != 0 ||
        choose_columns(&view, options_text(arguments, "columns"), error) != 0)
        goto out;
    sort_by_shown_axes(&view);
    if (sort && sort_by(&view, sort, error) != 0)
        goto out;
    print_view(stdout, &view, print_format_named(options_text(arguments, "format")));
    if (!view.rows)
        fprintf(stderr, "warpsweep: no row of %s matches\n", arguments->operand[0]);
    code = EXIT_FINE;
out:
    view_free(&view);
    dataset_free(&dataset);
    return code;
}

const struct command command_table = {
    .name = "table",
    .operands = "FILE.h5",
    .least = 1,
    .most = 1,
    .summary = "rows and columns of a results file, for scripts, gnuplot and papers",
    .details = "Without --columns: the kernel, the axes that vary, the status and the headline figures.\n"
               "A number that was not measured prints as nan (tsv, csv), null (json) or a dash (md, latex).\n"
               "--where takes values as a job file writes them: size=64MiB, dtype=f16,f32, status=ok.\n",
    .examples =
        "  warpsweep table results.h5 --where stride=1 --format md\n"
        "  warpsweep table results.h5 -k copy -c stride,bandwidth,device.peak_copy -s stride\n"
        "  warpsweep table results.h5 -w status=failed,crashed,timed_out -c id,kernel,status,message\n",
    .options = options,
    .run = run,
};
