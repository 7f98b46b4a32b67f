/* top - the best points of a results file. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/options/filter.h"
#include "core/result.h"
#include "output/print.h"
#include "results/columns.h"

static const struct command_option options[] = {
    FILTER_OPTIONS,
    {"by", 'b', "COLUMN", "bandwidth", NULL,
     "column to rank by: highest first; lowest first for times, energy, costs and headroom"},
    {"worst", 0, NULL, NULL, NULL, "worst points first"},
    {"per", 0, "NAME,NAME", NULL, NULL,
     "only the best point for each value of these columns: kernel, dtype ..."},
    {"columns", 'c', "NAME,NAME", NULL, NULL, "columns to show, or all; device.NAME comes from /devices"},
    {"limit", 'n', "COUNT", "10", NULL, "number of points"},
    {"format", 'f', "FORMAT", NULL, print_formats,
     "as for table; default: text on a terminal, tsv otherwise"},
    OPTION_SALVAGE,
    {0},
};

#define GROUPS_MAX 8 /* columns of --per */

static bool is_ok(const struct view *view, size_t row, void *context)
{
    const struct view_column *by = context;
    return status_is_ok(frame_find_text(&view->dataset->results, row, COLUMN(status))) &&
           !frame_is_missing(view_header(view->dataset, by), view_cell(view->dataset, row, by));
}

/* Is a smaller value better? */
static bool least_is_best(const struct dataset *file, const struct view_column *by)
{
    const struct column *header = view_header(file, by);
    return !by->of_device && (header->role == ROLE_TIME || header->role == ROLE_COST ||
                              header->role == ROLE_ENERGY || !strcmp(by->name, COLUMN(headroom)));
}

static bool same_group(const struct view *view, const struct view_column *group, int groups, size_t a,
                       size_t b)
{
    for (int i = 0; i < groups; i++)
        if (view_compare(view->dataset, &group[i], a, b) != 0)
            return false;
    return true;
}

/* Keeps the first row of each group. The rows are sorted. */
static int keep_firsts(struct view *view, const char *names, struct error *error)
{
    struct view_column group[GROUPS_MAX];
    int groups = 0, failed = 0;
    char *copy = memory_text(names), *rest = NULL;
    for (char *name = strtok_r(copy, ",", &rest); name && !failed; name = strtok_r(NULL, ",", &rest)) {
        if (groups == GROUPS_MAX)
            failed = error_set(error, ERROR_USAGE, "--per takes at most %d columns", GROUPS_MAX);
        else
            failed = view_find_column(view->dataset, name, &group[groups++], error);
    }
    free(copy);
    size_t kept = 0;
    for (size_t i = 0; i < view->rows && !failed; i++) {
        size_t k = 0;
        while (k < kept && !same_group(view, group, groups, view->row[k], view->row[i]))
            k++;
        if (k == kept)
            view->row[kept++] = view->row[i];
    }
    view->rows = kept;
    return failed;
}

static int arrange(const struct arguments *arguments, struct view *view, struct error *error)
{
    const char *per = options_text(arguments, "per");
    struct view_column by;
    if (filter_rows(arguments, false, view, error) != 0 ||
        view_find_column(view->dataset, options_text(arguments, "by"), &by, error) != 0)
        return -1;
    if (view_header(view->dataset, &by)->type == COLUMN_TEXT)
        return error_set(error, ERROR_USAGE,
                         "--by %.60s: a column of text cannot be ranked; expected a column of numbers",
                         by.name);
    view_keep(view, is_ok, &by);
    view_sort(view, &by, least_is_best(view->dataset, &by) == options_given(arguments, "worst"));
    if (per && keep_firsts(view, per, error) != 0)
        return -1;
    if (columns_limit_rows(view, options_text(arguments, "limit"), error) != 0)
        return -1;
    const char *columns = options_text(arguments, "columns");
    if (columns_choose(view, columns, error) != 0)
        return -1;
    for (int i = 0; i < view->columns; i++)
        if (!strcmp(view->column[i].name, by.name))
            return 0;
    return columns ? 0 : view_add_column(view, by.name, error);
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct dataset file;
    if (dataset_read_columns(arguments->operand[0], false, &file, error) != 0)
        return -1;
    struct view view = view_new(&file);
    int failed = arrange(arguments, &view, error);
    if (!failed)
        print_view(stdout, &view, print_format_named(options_text(arguments, "format")));
    if (!failed && !view.rows && strcmp(options_text(arguments, "limit"), "0") != 0)
        fprintf(stderr, "warpsweep: no measured point of %s matches the conditions\n", arguments->operand[0]);
    view_free(&view);
    dataset_free(&file);
    return failed ? -1 : EXIT_FINE;
}

const struct command command_top = {
    .name = "top",
    .operands = "FILE.h5",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "rank the points of a results file by bandwidth or another column",
    .details =
        "Ranks the points that are ok and have a value in the column. Points of different kernels, types or\n"
        "sizes are rarely comparable: select with --kernel and --where, or use --per kernel,dtype to show "
        "the\n"
        "best of each.\n",
    .examples = "  warpsweep top results.h5\n"
                "  warpsweep top results.h5 --per kernel -c kernel,variant,bandwidth,id\n"
                "  warpsweep top results.h5 -k copy -w size=1GiB --by time_median -n 3\n"
                "  warpsweep top results.h5 --by headroom --worst    # furthest from the model\n",
    .options = options,
    .run = run,
};
