/* table - rows and columns of a results file, and its best points. */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/options/filter.h"
#include "table/columns.h"
#include "table/print.h"
#include "table/top.h"

static const struct command_option options[] = {
    FILTER_OPTIONS,
    {"columns", 'c', "NAME,NAME", NULL, NULL, "columns to show, or all; device.NAME comes from /devices"},
    {"sort", 's', "NAME,-NAME", NULL, NULL, "order of the rows, ascending; descending with -"},
    {"limit", 'n', "COUNT", NULL, NULL, "only the first rows, after sorting"},
    {"top", 0, "COUNT", NULL, NULL, "only the best points, best first"},
    {"by", 'b', "COLUMN", NULL, NULL,
     "what --top ranks by: highest first; lowest first for times, energy, costs and headroom; default: the "
     "best of each kernel by "
     "its own rate (flop/s of products, cycles of latencies, else bytes/s)"},
    {"per", 0, "NAME,NAME", NULL, NULL,
     "with --top: the best points of each value of these columns: kernel, dtype ..."},
    {"format", 'f', "FORMAT", NULL, print_formats,
     "SI units in tsv, csv, json and jsonl, scaled units in text; default: text on a terminal, tsv "
     "otherwise"},
    {"canaries", 0, NULL, NULL, NULL, "also the repeated points that monitor drift"},
    {0},
};

/* ---- Several files ---- */

enum { FILES_MAX = 64 };
#define FILE_COLUMN "file" /* of several files: the first column */

/* Add the rows of `from`; the others go on in the places of their columns in `to`. */
static void add_rows(struct frame *to, const struct frame *from)
{
    size_t first = to->rows;
    int *column = memory_new((size_t)from->columns + 1, sizeof *column);
    for (int i = 0; i < from->columns; i++) {
        const struct column *c = &from->column[i];
        column[i] = frame_join_column(to, c->name, c->type, c->role, c->unit, c->meaning);
    }
    for (size_t row = 0; row < from->rows; row++) {
        frame_add_row(to);
        for (int i = 0; i < from->columns; i++)
            frame_put(to, first + row, column[i], &from->column[i], frame_row(from, row)[i]);
    }
    free(column);
}

/* Rows and devices of all files as those of one. Devices are numbered through. */
static int read_all(const struct arguments *arguments, struct dataset *all, struct error *error)
{
    *all = dataset_new();
    struct frame *results = &all->results;
    frame_add_column(results, FILE_COLUMN, COLUMN_TEXT, ROLE_OTHER, "", "the results file");
    for (int i = 0; i < arguments->operands; i++) {
        struct dataset one;
        size_t row = results->rows, devices = all->devices.rows;
        if (dataset_read(arguments->operand[i], &one, error) != 0) {
            dataset_free(all);
            return -1;
        }
        add_rows(results, &one.results);
        add_rows(&all->devices, &one.devices);
        dataset_free(&one);
        for (int device = frame_find(results, COLUMN(device)); row < results->rows; row++) {
            frame_put_text(results, row, 0, arguments->operand[i]);
            if (frame_cell(results, row, device)->integer >= 0)
                frame_cell(results, row, device)->integer += (int64_t)devices;
        }
    }
    return 0;
}

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

/* The columns that rank are shown, too, unless the columns are named. */
static int show_ranks(const struct arguments *arguments, struct view *view, struct error *error)
{
    const char *by = options_text(arguments, "by");
    int failed = 0;
    for (size_t row = 0; row < view->rows && !failed && !options_given(arguments, "columns"); row++) {
        const char *name = by ? by : top_own_rate(view->dataset, view->row[row]);
        bool shown = false;
        for (int i = 0; i < view->columns; i++)
            shown = shown || !strcmp(view->column[i].name, name);
        failed = shown ? 0 : view_add_column(view, name, error);
    }
    return failed;
}

/* Whether --columns has the column of files by itself. */
static bool names_file(const char *columns)
{
    struct text list = {0};
    text_add(&list, ",%s,", columns ? columns : "");
    bool named = !strcmp(list.data, ",all,") || strstr(list.data, "," FILE_COLUMN ",");
    text_free(&list);
    return named;
}

/* Choose and sort rows and columns. */
static int arrange(const struct arguments *arguments, struct view *view, struct error *error)
{
    const char *sort = options_text(arguments, "sort"), *columns = options_text(arguments, "columns");
    bool best = options_given(arguments, "top");
    int64_t most = 0;
    if (best && (!text_parse_integer(options_text(arguments, "top"), &most) || most < 0))
        return error_set(error, ERROR_USAGE, "--top is a number of points, not '%.40s'",
                         options_text(arguments, "top"));
    if (!best && (options_given(arguments, "by") || options_given(arguments, "per")))
        return error_set(error, ERROR_USAGE, "--by and --per need --top COUNT");
    if (arguments->operands > 1 && !names_file(columns))
        columns_add(view, FILE_COLUMN);
    /* Columns are chosen from all rows: of one best point no axis varies, and each tells which point it is. */
    if (filter_rows(arguments, options_given(arguments, "canaries"), view, error) != 0 ||
        columns_choose(view, columns, error) != 0 ||
        (best && top_keep(view, options_text(arguments, "by"), options_text(arguments, "per"), (size_t)most,
                          error) != 0) ||
        (best && show_ranks(arguments, view, error) != 0))
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
    if ((arguments->operands > 1 ? read_all(arguments, &dataset, error)
                                 : dataset_read(arguments->operand[0], &dataset, error)) != 0)
        return -1;
    struct view view = view_new(&dataset);
    int failed = arrange(arguments, &view, error);
    const char *limit = options_text(arguments, "limit");
    if (!failed)
        print_view(stdout, &view, print_format_named(options_text(arguments, "format")));
    if (!failed && !view.rows && !(limit && !strcmp(limit, "0")))
        fprintf(stderr, "warpsweep: no row of %s%s matches the conditions\n", arguments->operand[0],
                arguments->operands > 1 ? " and the other files" : "");
    view_free(&view);
    dataset_free(&dataset);
    return failed ? -1 : EXIT_FINE;
}

const struct command command_table = {
    .name = "table",
    .operands = "FILE.h5...",
    .operands_min = 1,
    .operands_max = FILES_MAX,
    .summary = "print rows and columns of results files, or their best points",
    .details =
        "The default columns are the kernel, the axes that vary, the status and the main results. A number\n"
        "that was not measured is nan (tsv, csv), null (json) or a dash (text). With several files, the "
        "first\n"
        "column is the file, and numbers of devices count through all files.\n"
        "\n"
        "--where takes values as job files do: size=64MiB, dtype=f16,f32, status=ok. All conditions must\n"
        "hold; several conditions with = on one column are alternatives.\n"
        "\n"
        "--top ranks the points that are ok and have a value in the column of --by; without --by, those of\n"
        "each kernel by its own rate. Types and sizes are rarely comparable: select with --where, or use\n"
        "--per dtype to show the best of each.\n"
        "\n"
        "Tables for papers (Markdown, LaTeX, pivots, derived columns) are printed by warpsweep pivot.\n",
    .examples =
        "  warpsweep table results.h5 -k copy -c stride,bandwidth,device.peak_copy -s stride\n"
        "  warpsweep table results.h5 -w status=failed,crashed,timed_out -c id,kernel,status,message\n"
        "  warpsweep table results.h5 -k copy -w 'stride<=8' -w size=1MiB..1GiB -s -bandwidth -n 10\n"
        "  warpsweep table results.h5 --top 10 -k copy -w size=1GiB\n"
        "  warpsweep table results.h5 --top 1 --per dtype -c kernel,dtype,variant,bandwidth,id\n"
        "  warpsweep table before.h5 after.h5 --top 1 --per file,kernel\n",
    .options = options,
    .run = run,
};
