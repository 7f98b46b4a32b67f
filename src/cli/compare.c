/* compare - two results files, point by point, with confidence intervals. */
#include "cli/command.h"

#include <string.h>

#include "cli/data/comparison.h"
#include "cli/data/filter.h"
#include "cli/data/print.h"

static const struct command_option options[] = {
    FILTER_OPTIONS,
    {"format", 'f', "FORMAT", "tsv", print_formats,
     "as for table: raw SI numbers, or scaled ones in md and latex"},
    {0},
};

/* In the order of the columns: kernel, then axes. */
static void show(const struct comparison *comparison, enum print_format format)
{
    const struct frame *table = &comparison->table.results;
    struct view view = view_new(&comparison->table);
    struct error ignored;
    for (int i = 0; i < table->columns; i++)
        view_add_column(&view, table->column[i].name, &ignored);
    for (int i = frame_find(table, "time_a"); i-- > 0;)
        view_sort(&view, &view.column[i]);
    print_view(stdout, &view, format);
    view_free(&view);
}

/* Scripts read stdout: what is for people goes where people look. */
static void summarise(const struct comparison *comparison, char *const *files)
{
    const size_t *verdicts = comparison->verdicts;
    fflush(stdout);
    fprintf(stderr, "B (%s) against A (%s): %zu faster, %zu slower, %zu the same, %zu not measured in both",
            files[1], files[0], verdicts[COMPARISON_FASTER], verdicts[COMPARISON_SLOWER],
            verdicts[COMPARISON_SAME], verdicts[COMPARISON_UNMEASURED]);
    fprintf(stderr, "; %zu only in A, %zu only in B\n", comparison->only_a, comparison->only_b);
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct dataset a, b;
    struct comparison comparison;
    int code = -1;
    if (dataset_read(arguments->operand[0], &a, error) != 0)
        return -1;
    if (dataset_read(arguments->operand[1], &b, error) != 0) {
        dataset_free(&a);
        return -1;
    }
    struct view view_a = view_new(&a), view_b = view_new(&b);
    if (filter_rows(arguments, false, &view_a, error) != 0 ||
        filter_rows(arguments, false, &view_b, error) != 0 ||
        comparison_make(&view_a, &view_b, &comparison, error) != 0)
        goto out;
    show(&comparison, print_format_named(options_text(arguments, "format")));
    summarise(&comparison, arguments->operand);
    comparison_free(&comparison);
    code = EXIT_FINE;
out:
    view_free(&view_a);
    view_free(&view_b);
    dataset_free(&a);
    dataset_free(&b);
    return code;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "A.h5 B.h5",
    .least = 2,
    .most = 2,
    .summary = "two results files, point by point, with confidence intervals",
    .details =
        "Points are paired by their id, and where a family has changed since, by equal kernel and axis "
        "values.\n"
        "speedup is time_a / time_b; the verdict is faster or slower (B against A) when the 95 % confidence\n"
        "intervals of the medians are disjoint, and same when they overlap. Counts go to stderr.\n",
    .examples = "  warpsweep compare hopper.h5 blackwell.h5 --format md\n"
                "  warpsweep compare before.h5 after.h5 -k copy -w dtype=f32 | awk '$NF == \"slower\"'\n",
    .options = options,
    .run = run,
};
