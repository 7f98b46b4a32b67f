/* table - rows and columns of a results file, and its best points. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/options/filter.h"
#include "table/columns.h"
#include "table/print.h"

static const struct command_option options[] = {
    FILTER_OPTIONS,
    {"columns", 'c', "NAME,NAME", NULL, NULL, "columns to show, or all; device.NAME comes from /devices"},
    {"sort", 's', "NAME,-NAME", NULL, NULL, "order of the rows, ascending; descending with -"},
    {"limit", 'n', "COUNT", NULL, NULL, "only the first rows, after sorting"},
    {"top", 't', "COUNT", NULL, NULL, "only the best points, best first"},
    {"by", 'b', "COLUMN", "bandwidth", NULL,
     "what --top ranks by: highest first; lowest first for times, energy, costs and headroom"},
    {"per", 0, "NAME,NAME", NULL, NULL,
     "with --top: the best points of each value of these columns: kernel, dtype ..."},
    {"format", 'f', "FORMAT", NULL, print_formats,
     "SI units in tsv, csv, json and jsonl, scaled units in text; default: text on a terminal, tsv "
     "otherwise"},
    {"canaries", 0, NULL, NULL, NULL, "also the repeated points that monitor drift"},
    OPTION_SALVAGE,
    {0},
};

/* ---- Order ---- */

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

/* ---- The best points ---- */

#define GROUPS_MAX 8 /* columns of --per */

static bool is_ranked(const struct view *view, size_t row, void *context)
{
    const struct view_column *by = context;
    return status_is_ok(frame_find_text(&view->dataset->results, row, COLUMN(status))) &&
           !frame_is_missing(view_header(view->dataset, by), view_cell(view->dataset, row, by));
}

static bool least_is_best(const struct dataset *file, const struct view_column *by)
{
    const struct column *header = view_header(file, by);
    return !by->of_device && (header->role == ROLE_TIME || header->role == ROLE_COST ||
                              header->role == ROLE_ENERGY || !strcmp(by->name, COLUMN(headroom)));
}

static int find_groups(const struct view *view, const char *names, struct view_column *group, int *groups,
                       struct error *error)
{
    char *copy = memory_text(names), *rest = NULL;
    int failed = 0;
    for (char *name = strtok_r(copy, ",", &rest); name && !failed; name = strtok_r(NULL, ",", &rest)) {
        if (*groups == GROUPS_MAX)
            failed = error_set(error, ERROR_USAGE, "--per takes at most %d columns", GROUPS_MAX);
        else
            failed = view_find_column(view->dataset, name, &group[(*groups)++], error);
    }
    free(copy);
    return failed;
}

static bool same_group(const struct view *view, const struct view_column *group, int groups, size_t a,
                       size_t b)
{
    for (int i = 0; i < groups; i++)
        if (view_compare(view->dataset, &group[i], a, b) != 0)
            return false;
    return true;
}

/* Keeps the first `most` rows of each group. */
static void keep_firsts(struct view *view, const struct view_column *group, int groups, size_t most)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->rows; i++) {
        size_t before = 0;
        for (size_t k = 0; k < kept && before < most; k++)
            before += same_group(view, group, groups, view->row[k], view->row[i]);
        if (before < most)
            view->row[kept++] = view->row[i];
    }
    view->rows = kept;
}

static int keep_best(const struct arguments *arguments, struct view *view, struct view_column *by,
                     struct error *error)
{
    const char *top = options_text(arguments, "top"), *per = options_text(arguments, "per");
    struct view_column group[GROUPS_MAX];
    int groups = 0;
    int64_t most;
    if (!text_parse_integer(top, &most) || most < 0)
        return error_set(error, ERROR_USAGE, "--top is a number of points, not '%.40s'", top);
    if (view_find_column(view->dataset, options_text(arguments, "by"), by, error) != 0 ||
        (per && find_groups(view, per, group, &groups, error) != 0))
        return -1;
    if (view_header(view->dataset, by)->type == COLUMN_TEXT)
        return error_set(error, ERROR_USAGE,
                         "--by %.60s: a column of text cannot be ranked; expected a column of numbers",
                         by->name);
    view_keep(view, is_ranked, by);
    view_sort(view, by, !least_is_best(view->dataset, by));
    keep_firsts(view, group, groups, (size_t)most);
    return 0;
}

/* The column that ranks is shown, too, unless the columns are named. */
static int show_rank(const struct arguments *arguments, struct view *view, const struct view_column *by,
                     struct error *error)
{
    bool shown = options_given(arguments, "columns");
    for (int i = 0; i < view->columns; i++)
        shown = shown || !strcmp(view->column[i].name, by->name);
    return shown ? 0 : view_add_column(view, by->name, error);
}

/* Choose and sort rows and columns. */
static int arrange(const struct arguments *arguments, struct view *view, struct error *error)
{
    const char *sort = options_text(arguments, "sort");
    bool best = options_given(arguments, "top");
    struct view_column by = {0};
    if (!best && (options_given(arguments, "by") || options_given(arguments, "per")))
        return error_set(error, ERROR_USAGE, "--by and --per need --top COUNT");
    if (filter_rows(arguments, options_given(arguments, "canaries"), view, error) != 0 ||
        (best && keep_best(arguments, view, &by, error) != 0) ||
        columns_choose(view, options_text(arguments, "columns"), error) != 0 ||
        (best && show_rank(arguments, view, &by, error) != 0))
        return -1;
    if (!best)
        sort_by_shown_axes(view);
    if (sort && sort_by(view, sort, error) != 0)
        return -1;
    return columns_limit_rows(view, options_text(arguments, "limit"), error);
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct dataset dataset;
    if (dataset_read_columns(arguments->operand[0], false, &dataset, error) != 0)
        return -1;
    struct view view = view_new(&dataset);
    int failed = arrange(arguments, &view, error);
    const char *limit = options_text(arguments, "limit");
    if (!failed)
        print_view(stdout, &view, print_format_named(options_text(arguments, "format")));
    if (!failed && !view.rows && !(limit && !strcmp(limit, "0")))
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
    .summary = "print rows and columns of a results file, or its best points",
    .details =
        "The default columns are the kernel, the axes that vary, the status and the main results. A number\n"
        "that was not measured is nan (tsv, csv), null (json) or a dash (text).\n"
        "\n"
        "--where takes values as job files do: size=64MiB, dtype=f16,f32, status=ok. All conditions must\n"
        "hold; several conditions with = on one column are alternatives.\n"
        "\n"
        "--top ranks the points that are ok and have a value in the column of --by. Points of different\n"
        "kernels, types or sizes are rarely comparable: select with --kernel and --where, or use --per\n"
        "kernel,dtype to show the best of each.\n"
        "\n"
        "Tables for papers (Markdown, LaTeX, pivots, derived columns) are printed by warpsweep pivot.\n",
    .examples =
        "  warpsweep table results.h5 -k copy -c stride,bandwidth,device.peak_copy -s stride\n"
        "  warpsweep table results.h5 -w status=failed,crashed,timed_out -c id,kernel,status,message\n"
        "  warpsweep table results.h5 -k copy -w 'stride<=8' -w size=1MiB..1GiB -s -bandwidth -n 10\n"
        "  warpsweep table results.h5 --top 10 -k copy -w size=1GiB\n"
        "  warpsweep table results.h5 --top 1 --per kernel -c kernel,variant,bandwidth,id\n",
    .options = options,
    .run = run,
};
