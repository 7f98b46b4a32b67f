/* report - textbook pairs as measured, the model against counters, outliers of a fleet, run time. */
#include "cli/command.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "plan/profile_file.h"
#include "report/report.h"

#define FILES_MAX 64

static const char *const code_words[] = {"none", "instructions", "counted", NULL};

static const struct command_option options[] = {
    {"format", 'f', "FORMAT", "md", document_formats, "Markdown, or LaTeX for \\input"},
    {"pairs", 'p', "FILE", NULL, NULL, "your own list of pairs; default: analysis/pairs.yaml"},
    {"findings", 0, NULL, NULL, NULL, "only the best variant of each family and where curves bend"},
    {"model", 'm', NULL, NULL, NULL, "compare the access model with hardware counters, per kernel"},
    {"bounds", 'b', NULL, NULL, NULL, "compare the time model with measured times, and show the bounds"},
    {"profile", 0, "FILE", NULL, NULL,
     "with --bounds: use this device profile instead of the file's own numbers"},
    {"code", 0, "WHAT", "counted", code_words, "with --bounds: source of instruction counts"},
    {"roofs", 0, NULL, NULL, NULL, "measured roofs with their ranges, beside the data sheet"},
    {"time", 0, NULL, NULL, NULL, "run time by phase, rank and family"},
    {"fleet", 0, NULL, NULL, NULL,
     "which GPUs of a run with `devices: all` differ, and the sources of variance"},
    {"runs", 0, NULL, NULL, NULL,
     "from runs of one job: what another run, and another unit, adds to the variance"},
    {"method", 0, NULL, NULL, NULL, "the method section of a paper"},
    {"bibtex", 0, NULL, NULL, NULL, "with --method: its references in BibTeX"},
    {"threshold", 't', "SHARE", "1%", NULL, "with --fleet: the smallest difference that matters"},
    OPTION_SALVAGE,
    {0},
};

/* The devices; each caption becomes one line. */
static void print_sources(struct document *document, const struct merged *merged)
{
    document_items_begin(document);
    for (int i = 0; i < merged->groups; i++) {
        char caption[sizeof merged->group[i].caption];
        struct text line = {0};
        char *rest = NULL;
        snprintf(caption, sizeof caption, "%s", merged->group[i].caption);
        for (char *part = strtok_r(caption, "\n", &rest); part; part = strtok_r(NULL, "\n", &rest))
            text_add(&line, "%s%s", line.length ? "; " : "", part);
        if (*merged->group[i].note)
            text_add(&line, "; counters: %s", merged->group[i].note);
        document_item(document, "%s: %s", merged->group[i].label, line.data ? line.data : "");
        text_free(&line);
    }
    document_items_end(document);
}

static void print_pairs(struct document *document, const struct merged *merged,
                        const struct pair_table *pairs)
{
    bool *shown = memory_new((size_t)pairs->count, sizeof *shown);
    int missing = 0;
    document_heading(document, 1, "Before and after, measured");
    document_paragraph(
        document,
        "Times are medians with their 95 %% confidence intervals. The source is %s. Its figures "
        "are illustrative: they were not measured on these devices.",
        pairs->source);
    print_sources(document, merged);
    for (int i = 0; i < pairs->count; i++) {
        shown[i] = report_pair(document, merged, &pairs->pair[i]) > 0;
        missing += !shown[i];
    }
    report_findings(document, merged);
    if (missing) {
        document_heading(document, 2, "Not in these files");
        document_items_begin(document);
        for (int i = 0; i < pairs->count; i++) {
            const struct pair *pair = &pairs->pair[i];
            if (!shown[i])
                document_item(document, "%s%s%s: %s. Measured by %s", pair->table ? pair->table : "",
                              pair->table ? ", " : "", pair->kernel, pair->title, pair->job);
        }
        document_items_end(document);
    }
    free(shown);
}

/* Print the pairs of --pairs, or the shipped ones. */
static int print_named_pairs(struct document *document, const struct merged *merged, const char *named,
                             struct error *error)
{
    struct pair_table pairs;
    if ((named ? pairs_read(named, &pairs, error) : pairs_read_shipped(&pairs, error)) != 0)
        return -1;
    print_pairs(document, merged, &pairs);
    pairs_free(&pairs);
    return EXIT_FINE;
}

static int print_findings(struct document *document, const struct merged *merged)
{
    document_heading(document, 1, "What was found");
    print_sources(document, merged);
    report_findings(document, merged);
    return EXIT_FINE;
}

static int print_model(struct document *document, const struct merged *merged)
{
    document_heading(document, 1, "Model against hardware");
    print_sources(document, merged);
    return report_model(document, merged) > 0 ? EXIT_POINTS : EXIT_FINE;
}

/* Takes one file, because merging drops the samples. */
static int print_fleet(struct document *document, const struct arguments *arguments, struct error *error)
{
    struct dataset dataset;
    double share;
    if (arguments->operands > 1)
        return error_set(error, ERROR_USAGE, "report --fleet takes one file, not several");
    if (options_share(arguments, "threshold", &share, error) != 0 ||
        dataset_read_columns(arguments->operand[0], true, &dataset, error) != 0)
        return -1;
    size_t outliers = report_fleet(document, &dataset, share);
    dataset_free(&dataset);
    return outliers ? EXIT_POINTS : EXIT_FINE;
}

static int print_runs(struct document *document, const struct arguments *arguments, struct error *error)
{
    size_t count = (size_t)arguments->operands;
    if (count < 2)
        return error_set(error, ERROR_USAGE, "report --runs takes several files, of the same job");
    struct dataset *file = datasets_read(arguments->operand, count, error);
    if (!file)
        return -1;
    int failed = report_runs(document, file, arguments->operand, count, error);
    datasets_free(file, count);
    return failed ? -1 : EXIT_FINE;
}

/* Reports on one file. Returns 0, EXIT_POINTS if it found a problem, or -1. */
typedef int (*file_report)(struct document *document, const struct dataset *dataset, const char *path,
                           void *context, struct error *error);

/* Prints the heading after the first file could be read. */
static int print_files(struct document *document, const struct arguments *arguments, const char *heading,
                       file_report report, void *context, struct error *error)
{
    int code = EXIT_FINE;
    for (int i = 0; i < arguments->operands; i++) {
        struct dataset dataset;
        if (dataset_read_columns(arguments->operand[i], true, &dataset, error) != 0)
            return -1;
        if (i == 0)
            document_heading(document, 1, "%s", heading);
        int its = report(document, &dataset, arguments->operand[i], context, error);
        dataset_free(&dataset);
        if (its < 0)
            return -1;
        code = its ? its : code;
    }
    return code;
}

static int method_of(struct document *document, const struct dataset *dataset, const char *path,
                     void *context, struct error *error)
{
    (void)context;
    (void)error;
    report_method(document, dataset, path);
    return 0;
}

static int roofs_of(struct document *document, const struct dataset *dataset, const char *path, void *context,
                    struct error *error)
{
    (void)context;
    (void)error;
    report_roofs(document, dataset, path);
    return 0;
}

static int time_of(struct document *document, const struct dataset *dataset, const char *path, void *context,
                   struct error *error)
{
    (void)context;
    (void)error;
    return report_time(document, dataset, path) != 0 ? EXIT_POINTS : 0;
}

struct bounds_wanted {
    const struct profile *profile; /* NULL: the file's own */
    enum code_use use;
};

static int bounds_of(struct document *document, const struct dataset *dataset, const char *path,
                     void *context, struct error *error)
{
    const struct bounds_wanted *wanted = context;
    size_t wrong = 0;
    if (report_bounds(document, dataset, path, wanted->profile, wanted->use, &wrong, error) != 0)
        return -1;
    return wrong ? EXIT_POINTS : 0;
}

static int print_method(struct document *document, const struct arguments *arguments, struct error *error)
{
    if (!options_given(arguments, "bibtex"))
        return print_files(document, arguments, "How it was measured", method_of, NULL, error);
    report_bibtex(document->out);
    return EXIT_FINE;
}

static int print_bounds(struct document *document, const struct arguments *arguments, struct error *error)
{
    struct profile given;
    struct bounds_wanted wanted = {
        .use = (enum code_use)text_find(code_use_words, options_text(arguments, "code"))};
    const char *path = options_text(arguments, "profile");
    if (path && profile_read(path, &given, error) != 0)
        return -1;
    if (path)
        wanted.profile = &given;
    return print_files(document, arguments, "What bounds the points", bounds_of, &wanted, error);
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct merged merged;
    struct document document = document_new(stdout, options_text(arguments, "format"));
    int code = EXIT_FINE;
    if (options_given(arguments, "fleet"))
        return print_fleet(&document, arguments, error);
    if (options_given(arguments, "runs"))
        return print_runs(&document, arguments, error);
    if (options_given(arguments, "time"))
        return print_files(&document, arguments, "Where the time went", time_of, NULL, error);
    if (options_given(arguments, "roofs"))
        return print_files(&document, arguments, "Roofs", roofs_of, NULL, error);
    if (options_given(arguments, "method"))
        return print_method(&document, arguments, error);
    if (options_given(arguments, "bounds"))
        return print_bounds(&document, arguments, error);
    if (options_given(arguments, "bibtex"))
        return error_set(error, ERROR_USAGE, "--bibtex needs --method");
    if (merge_read(arguments->operand, arguments->operands, &merged, error) != 0)
        return -1;
    if (options_given(arguments, "model"))
        code = print_model(&document, &merged);
    else if (options_given(arguments, "findings"))
        code = print_findings(&document, &merged);
    else
        code = print_named_pairs(&document, &merged, options_text(arguments, "pairs"), error);
    merge_free(&merged);
    return code;
}

const struct command command_report = {
    .name = "report",
    .operands = "FILE.h5...",
    .operands_min = 1,
    .operands_max = FILES_MAX,
    .summary = "textbook pairs as measured, best variants, model errors, fleet outliers, run time",
    .details =
        "Prints a table per textbook pair that the files have measured, for each device; it marks\n"
        "measurements that contradict the source. Missing pairs are listed with the job file that measures\n"
        "them. The source is a textbook chapter on GPU memory access patterns (docs/pairs.md). Numbers that\n"
        "were not measured are dashes.\n"
        "\n"
        "For each family it also prints the best variant, its share of the roof, the vendor's result for "
        "the\n"
        "same work, and where curves bend. --findings prints only these.\n"
        "\n"
        "--model compares predicted columns with hardware counters and lists the points that disagree. The\n"
        "tolerance is 0 for counts per request, 0.1 % for totals and 2 % for DRAM.\n"
        "\n"
        "--bounds prints what limits each kernel by the time model, and the points whose time is off by "
        "more\n"
        "than 15 %, worst first. --profile replaces the device's own numbers by a profile (warpsweep\n"
        "profile). --code none or instructions predicts as before a run, without hardware counters.\n"
        "\n"
        "--fleet ranks the GPUs of one run, marks outliers (robust z, one false alarm in 500 fleets), and\n"
        "splits the variance into node, GPU, process and sample.\n"
        "\n"
        "--roofs prints the measured roofs of each device with the range of their launches, the value of "
        "the\n"
        "data sheet if the product is known, and how many points are over 100 % of their roof.\n"
        "\n"
        "--time prints how the run time divides into phases, ranks and families.\n"
        "\n"
        "--runs splits the variance between several runs of one job into run and unit.\n"
        "\n"
        "--method writes the method section of a paper for each file.\n"
        "\n"
        "Exit code: 1 if --model or --bounds lists a point, --fleet an outlier, or --time a file without\n"
        "timeline.\n",
    .examples = "  warpsweep report results.h5\n"
                "  warpsweep report hopper.h5 blackwell.h5 --format latex >pairs.tex\n"
                "  warpsweep report results.h5 --model\n"
                "  warpsweep report results.h5 --pairs my_pairs.yaml\n"
                "  warpsweep report cluster.h5 --fleet\n"
                "  warpsweep report results.h5 --time\n"
                "  warpsweep report results.h5 --roofs\n"
                "  warpsweep report hopper.h5 --method --format latex >method.tex\n",
    .options = options,
    .run = run,
};
