/* table - rows and columns of a results file, and its best points. */
#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "table/table.h"

static const struct command_option options[] = {
    {"kernel", 'k', "NAME", NULL, NULL, "only this kernel's points"},
    {"where", 'w', "COLUMN=V,V", NULL, NULL,
     "only rows with one of these values, nan: missing; also =A..B, !=, <, <=, >, >=; may be repeated"},
    {"columns", 'c', "NAME,NAME", NULL, NULL, "columns to show, or all; device.NAME comes from /devices"},
    {"sort", 's', "NAME,-NAME", NULL, NULL, "order of the rows, ascending; descending with -"},
    {"limit", 'n', "COUNT", NULL, NULL, "only the first rows, after sorting"},
    {"top", 0, "COUNT", NULL, NULL,
     "only the best points of each kernel, by its own rate (flop/s of products, cycles of latencies, else "
     "bytes/s), best first"},
    {"per", 0, "NAME,NAME", NULL, NULL,
     "with --top: of each kernel, the best points of each value of these columns: dtype, size ..."},
    {"format", 'f', "FORMAT", NULL, print_formats,
     "scaled units in text, else SI units; default: text on a terminal, tsv otherwise"},
    {"canaries", 0, NULL, NULL, NULL, "also the repeated points that monitor drift"},
    OPTION_HELP,
};

static int keep_rows(const struct arguments *arguments, struct view *view, struct error *error)
{
    const char *kernel = options_text(arguments, "kernel");
    const char **condition = memory_new((size_t)arguments->given_count + 1, sizeof *condition);
    struct text of_kernel = {0};
    int count = 0;
    while ((condition[count] = options_each(arguments, "where", count)))
        count++;
    if (kernel) {
        text_add(&of_kernel, "%s=%s", COLUMN(kernel), kernel);
        condition[count++] = of_kernel.data;
    }
    int failed = where_keep(view, condition, count, error);
    text_free(&of_kernel);
    free(condition);
    return failed;
}

/* By --sort, then by the axes that are shown: a file has its points in the order of measurement, which is
 * random. */
static int sort(const struct arguments *arguments, struct view *view, struct error *error)
{
    const char *list = options_text(arguments, "sort");
    struct view_column *key = NULL;
    int keys = list ? view_find_all(view->dataset, "sort", list, &key, error) : 0;
    if (keys >= 0) {
        key = memory_resize(key, (size_t)(keys + view->columns) + 1, sizeof *key);
        for (int i = 0; i < view->columns; i++)
            if (!view->column[i].of_device && view->column[i].header->role == ROLE_AXIS)
                key[keys++] = view->column[i];
        view_sort(view, key, keys);
    }
    free(key);
    return keys < 0 ? -1 : 0;
}

static int read_count(const struct arguments *arguments, const char *option, const char *of, int64_t least,
                      int64_t *count, struct error *error)
{
    const char *text = options_text(arguments, option);
    if (text && (!text_parse_integer(text, count) || *count < least))
        return error_set(error, ERROR_USAGE, "--%s '%.40s': expected a number of %s, at least %" PRId64,
                         option, text, of, least);
    return 0;
}

/* Choose and sort rows and columns. */
static int arrange(const struct arguments *arguments, struct view *view, struct error *error)
{
    const char *columns = options_text(arguments, "columns"), *per = options_text(arguments, "per");
    bool best = options_given(arguments, "top");
    int64_t most = 0, limit = INT64_MAX;
    if (read_count(arguments, "top", "points", 1, &most, error) != 0 ||
        read_count(arguments, "limit", "rows", 0, &limit, error) != 0)
        return -1;
    /* Columns are chosen from all rows: no axis varies of one best point, and each tells which it is. */
    if (keep_rows(arguments, view, error) != 0 || columns_choose(view, columns, error) != 0 ||
        (best && top_keep(view, per, (size_t)most, error) != 0))
        return -1;
    for (size_t row = 0; row < view->rows && best && !columns; row++) /* what ranks is shown */
        view_show(view, top_own_rate(view->dataset, view->row[row]));
    if ((!best || options_given(arguments, "sort")) && sort(arguments, view, error) != 0)
        return -1;
    view->rows = (uint64_t)limit < view->rows ? (size_t)limit : view->rows;
    return 0;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct dataset dataset;
    if (dataset_read(arguments->operand[0], &dataset, error) != 0)
        return -1;
    struct view view = view_new(&dataset, options_given(arguments, "canaries"));
    int failed = arrange(arguments, &view, error);
    if (!failed)
        print_view(stdout, &view, print_format_named(options_text(arguments, "format")));
    if (!failed && !view.rows && !options_given(arguments, "limit"))
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
        "Shows by default the kernel, the axes that vary, the status and the main results. A number that\n"
        "was not measured is nan (tsv, csv), null (json) or a dash (text).\n"
        "\n"
        "--where takes values as job files do: size=64MiB, dtype=f16,f32, status=ok. All conditions must\n"
        "hold; several conditions with = on one column are alternatives.\n"
        "\n"
        "--top ranks the points that are ok and have a rate; -w status=ok -s COLUMN -n COUNT ranks by any\n"
        "column. Types and sizes are rarely comparable: select with --where, or use --per dtype to show\n"
        "the best of each.\n"
        "\n"
        "warpsweep pivot prints several files, intervals beside their middle, and tables for papers.\n",
    .examples =
        "  warpsweep table results.h5 -k copy -c stride,bandwidth,device.peak_copy -s stride\n"
        "  warpsweep table results.h5 -w status=failed,crashed,timed_out -c id,kernel,status,message\n"
        "  warpsweep table results.h5 -k copy -w 'stride<=8' -w size=1MiB..1GiB -s -bandwidth -n 10\n"
        "  warpsweep table results.h5 --top 10 -k copy -w size=1GiB\n"
        "  warpsweep table results.h5 --top 1 --per dtype -c kernel,dtype,variant,bandwidth,id\n",
    .options = options,
    .run = run,
};
