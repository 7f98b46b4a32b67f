/* table - rows and columns of a results file, for scripts, gnuplot and papers. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/options/filter.h"
#include "output/heads.h"
#include "output/pivot.h"
#include "output/print.h"
#include "results/columns.h"
#include "results/derive.h"
#include "results/view.h"

static const struct command_option options[] = {
    FILTER_OPTIONS,
    {"columns", 'c', "NAME,NAME", NULL, NULL, "columns to show, or all; device.NAME comes from /devices"},
    {"derive", 'd', "NAME=EXPR", NULL, NULL,
     "a new column: 'x=bandwidth/bandwidth[variant=memcpy]'; may be repeated"},
    {"sort", 's', "NAME,-NAME", NULL, NULL, "order of the rows, ascending; descending with -"},
    {"limit", 'n', "COUNT", NULL, NULL, "only the first rows, after sorting"},
    {"pivot", 'p', "PARTS", NULL, NULL,
     "rows=NAME,cols=NAME,value=NAME: one row per value of an axis, one column per value of another"},
    {"format", 'f', "FORMAT", NULL, print_formats,
     "SI units in tsv, csv, json and jsonl, scaled units in text, md and latex; default: text on a terminal, "
     "tsv otherwise"},
    {"canaries", 0, NULL, NULL, NULL, "also the repeated points that monitor drift"},
    OPTION_SALVAGE,
    {0},
};

/* Sorts by the last name first: the sort is stable. */
static int sort_by(struct view *view, const char *list, struct error *error)
{
    char *copy = memory_text(list);
    int failed = 0;
    while (!failed) {
        char *comma = strrchr(copy, ','), *name = comma ? comma + 1 : copy;
        bool descending = *name == '-';
        struct view_column column;
        failed = view_find_column(view->dataset, name + descending, &column, error);
        if (failed || (view_sort(view, &column, descending), !comma))
            break;
        *comma = '\0';
    }
    free(copy);
    return failed;
}

/* A file has its points in the order of measurement, which is random. */
static void sort_by_shown_axes(struct view *view)
{
    for (int i = view->columns; i-- > 0;)
        if (!view->column[i].of_device && view_is_axis(view->dataset, view->column[i].index))
            view_sort(view, &view->column[i], false);
}

static bool is_for_people(enum print_format format)
{
    return format == PRINT_TEXT || format == PRINT_MD || format == PRINT_LATEX;
}

/* Is the column an end of another's interval? Formats for people print those as +-. */
static bool is_end(const struct frame *frame, int column)
{
    int low, high;
    for (int i = 0; i < frame->columns; i++)
        if (heads_interval(frame, frame->column[i].name, &low, &high) && (column == low || column == high))
            return true;
    return false;
}

static int print_pivot(struct view *view, const char *parts, enum print_format format, struct error *error)
{
    struct dataset pivot;
    size_t before = view->rows;
    int failed = pivot_make(view, parts, &pivot, error);
    if (!failed && view->rows < before)
        fprintf(stderr, "warpsweep: note: %zu of %zu rows lack an axis of --pivot and are left out\n",
                before - view->rows, before);
    if (!failed) {
        struct view whole = view_new(&pivot);
        for (int i = 0; i < pivot.results.columns; i++)
            if (!is_for_people(format) || !is_end(&pivot.results, i))
                columns_add(&whole, pivot.results.column[i].name);
        print_view(stdout, &whole, format);
        view_free(&whole);
    }
    dataset_free(&pivot);
    return failed;
}

/* Choose and sort rows and columns. */
static int arrange(const struct arguments *arguments, struct view *view, struct error *error)
{
    const char *sort = options_text(arguments, "sort");
    if (filter_rows(arguments, options_given(arguments, "canaries"), view, error) != 0 ||
        columns_choose(view, options_text(arguments, "columns"), error) != 0)
        return -1;
    sort_by_shown_axes(view);
    if (sort && sort_by(view, sort, error) != 0)
        return -1;
    return columns_limit_rows(view, options_text(arguments, "limit"), error);
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct dataset dataset;
    const char *pivot = options_text(arguments, "pivot"), *definition;
    enum print_format format = print_format_named(options_text(arguments, "format"));
    if (dataset_read_columns(arguments->operand[0], false, &dataset, error) != 0)
        return -1;
    int failed = 0;
    for (int k = 0; !failed && (definition = options_each(arguments, "derive", k)); k++)
        failed = derive_column(&dataset, definition, error);
    struct view view = view_new(&dataset);
    failed = failed || arrange(arguments, &view, error) != 0;
    if (!failed && pivot)
        failed = print_pivot(&view, pivot, format, error);
    else if (!failed)
        print_view(stdout, &view, format);
    if (!failed && !view.rows)
        fprintf(stderr, "warpsweep: no row of %s matches the conditions\n", arguments->operand[0]);
    view_free(&view);
    dataset_free(&dataset);
    return failed ? -1 : EXIT_FINE;
}

const struct command command_table = {
    .name = "table",
    .operands = "FILE.h5",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "print rows and columns of a results file, for scripts, gnuplot and papers",
    .details =
        "The default columns are the kernel, the axes that vary, the status and the main results. A number\n"
        "that was not measured is nan (tsv, csv), null (json) or a dash (text, md, latex).\n"
        "\n"
        "--where takes values as job files do: size=64MiB, dtype=f16,f32, status=ok. All conditions must\n"
        "hold; several conditions with = on one column are alternatives. In --derive, "
        "COLUMN[AXIS=VALUE,...]\n"
        "is the value of the point that differs only in these axes.\n",
    .examples =
        "  warpsweep table results.h5 --where stride=1 --format md\n"
        "  warpsweep table results.h5 -k copy -c stride,bandwidth,device.peak_copy -s stride\n"
        "  warpsweep table results.h5 -w status=failed,crashed,timed_out -c id,kernel,status,message\n"
        "  warpsweep table results.h5 -k copy -w 'stride<=8' -w size=1MiB..1GiB -s -bandwidth -n 10\n"
        "  warpsweep table results.h5 -k copy -d 'share=bandwidth/bandwidth[variant=memcpy]' -c size,share\n"
        "  warpsweep table results.h5 -k copy -w variant=load -w size=1GiB -w vector=1 -w offset=0 -f latex "
        "\\\n"
        "      -p rows=stride,cols=dtype,value=bandwidth\n",
    .options = options,
    .run = run,
};
