/* counters - the hardware counters that a job can read, and the chips that have them. */
#include "cli/command.h"

#include <string.h>

#include "core/metric.h"
#include "core/result.h"
#include "toolkit/toolkit.h"

static const struct command_option options[] = {
    {"chip", 0, "NAME", NULL, NULL, "counters of this chip, from CUPTI; may be repeated"},
    OPTION_HELP,
};

static void print_alternatives(const char *const names[METRIC_NAMES_MAX])
{
    for (int i = 0; i < METRIC_NAMES_MAX && names[i]; i++)
        printf("%s%s", i ? " or " : "", names[i]);
}

static void print_column(const struct metric *metric)
{
    printf("  %-36s %s (%s)\n  %-36s ", metric->column, metric->meaning, metric->unit, "");
    print_alternatives(metric->cupti);
    if (metric->per[0]) {
        printf(" / ");
        print_alternatives(metric->per);
    }
    if (metric->factor != 1)
        printf(" x %g", metric->factor);
    putchar('\n');
}

static void list_all(void)
{
    const char *columns[RESULT_COUNTERS_MAX];
    printf("Sets (`counters: memory`) and their columns:\n");
    for (int i = 0; metric_sets[i]; i++) {
        int count = metric_set_columns(metric_sets[i], columns);
        int width = printf("  %-11s", metric_sets[i]);
        for (int k = 0; k < count && count < metric_count; k++) {
            if (width + (int)strlen(columns[k]) > 108)
                width = printf("\n  %-11s", "") - 1;
            width += printf(" %s%s", columns[k], k + 1 < count ? "," : "");
        }
        if (!count)
            printf(" nothing");
        printf("%s\n", count == metric_count ? " every column below" : "");
    }
    printf("\nColumns: meaning (unit), and CUPTI's name:\n");
    for (int i = 0; i < metric_count; i++)
        print_column(&metrics[i]);
    printf("\nA list of CUPTI's own names also works: `counters: [lts__t_requests.sum]`.\n");
}

static int run(const struct arguments *arguments, struct error *error)
{
    const char *columns[RESULT_COUNTERS_MAX];
    struct toolkit toolkit;
    const char *chip;
    if (!options_given(arguments, "chip")) {
        list_all();
        return EXIT_FINE;
    }
    int failed = toolkit_start(&toolkit, "query the counters of a chip", error);
    for (int k = 0; !failed && (chip = options_each(arguments, "chip", k)); k++)
        for (int i = 0; metric_sets[i] && !failed; i++) {
            int count = metric_set_columns(metric_sets[i], columns);
            failed = count ? chip_print(&toolkit, chip, metric_sets[i], columns, count, error) : 0;
        }
    toolkit_stop(&toolkit);
    return failed ? -1 : EXIT_FINE;
}

const struct command command_counters = {
    .name = "counters",
    .operands = "",
    .summary = "list hardware counters and the chips that have them; no GPU needed",
    .details =
        "Lists the counter sets and their columns with unit, meaning and CUPTI's name. --chip shows which\n"
        "of them a chip has, and the number of passes per point: GH100 (H100, H200), GB100 (B200, GB200),\n"
        "GB110 or GB112 (B300, GB300), GB202 (RTX PRO 6000, RTX 5090), GB20B (GB10). Where CUPTI fails, a\n"
        "list of this release answers. `check JOB --chip` asks for the counters of a job.\n",
    .examples = "  warpsweep counters\n  warpsweep counters --chip GH100 --chip GB100\n",
    .options = options,
    .run = run,
};
