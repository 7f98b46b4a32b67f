/* compare - two results files, or two values of a column in one file. */
#include "cli/command.h"

#include <math.h>
#include <string.h>

#include "analysis/laws.h"
#include "analysis/text.h"
#include "base/text.h"
#include "cli/options/filter.h"
#include "output/mark.h"
#include "output/print_people.h"

static const char *const formats[] = {"text", "tsv", "csv", "json", "md", "latex", NULL};

static const struct command_option options[] = {
    FILTER_OPTIONS,
    {"points", 'p', NULL, NULL, NULL, "list points instead of families"},
    {"by", 'b', "NAME,NAME", NULL, NULL,
     "in one file: compare the values of an axis or of devices, or combinations of several axes"},
    {"baseline", 0, "VALUE", NULL, NULL,
     "in one file: the value or version to compare with; default: the first"},
    {"threshold", 't', "SHARE", NULL, NULL,
     "the smallest difference that matters; default: 1%, of pairs 0.1%"},
    {"fail-above", 0, "SHARE", NULL, NULL, "exit code 1 if a point is slower by more than this; for CI"},
    {"annotate", 0, NULL, NULL, NULL,
     "also print slower points as GitHub annotations: errors above --fail-above, else warnings"},
    {"mixed", 0, NULL, NULL, NULL, "allow different cache states, back ends or timers"},
    {"format", 'f', "FORMAT", "text", formats,
     "text; tsv, csv and json in SI units; md and latex in scaled units"},
    OPTION_SALVAGE,
    {0},
};

struct settings {
    double threshold, fail_above; /* NaN: the default; no limit */
    bool points, annotate;
    const char *format;
};

static int read_settings(const struct arguments *arguments, struct settings *settings, struct error *error)
{
    *settings = (struct settings){.threshold = NAN,
                                  .fail_above = NAN,
                                  .points = options_given(arguments, "points"),
                                  .annotate = options_given(arguments, "annotate"),
                                  .format = options_text(arguments, "format")};
    bool by = options_given(arguments, "by");
    if (by && arguments->operands > 1)
        return error_set(error, ERROR_USAGE, "--by takes one file, not two");
    if (arguments->operands > 1 && options_given(arguments, "baseline"))
        return error_set(error, ERROR_USAGE, "--baseline needs --by, or one file of a paired run");
    if (options_share(arguments, "threshold", &settings->threshold, error) != 0)
        return -1;
    return options_share(arguments, "fail-above", &settings->fail_above, error);
}

/* Formats for scripts keep stdout clean: the assumptions go to stderr. */
static void show(const struct comparison *comparison, const struct settings *settings)
{
    if (!strcmp(settings->format, "text")) {
        mark_print(stdout, MARKUP_TEXT, "", "\n");
        (settings->points ? text_print_points : text_print_families)(stdout, comparison);
        return;
    }
    struct dataset table = settings->points ? tables_points(comparison) : tables_families(comparison);
    struct view view = tables_view(&table);
    people_print(stdout, &view, settings->format);
    fflush(stdout);
    text_print_assumed(stderr, comparison);
    view_free(&view);
    frame_free(&table.results);
    frame_free(&table.devices);
}

/* Whether any point has a time on both sides. If not, say what the sides have. */
static bool has_both(const struct comparison *comparison)
{
    size_t only_a = 0, only_b = 0;
    for (size_t i = 0; i < comparison->pairs; i++) {
        if (!isnan(comparison->ratio[i].ratio))
            return true;
        only_a += !comparison->pair[i].b.dataset;
        only_b += !comparison->pair[i].a.dataset;
    }
    fflush(stdout);
    fprintf(
        stderr,
        "warpsweep: nothing to compare: no point was measured on both sides; %zu points are only in A, %zu "
        "only in B, %zu in both but not measured in both\n",
        only_a, only_b, comparison->pairs - only_a - only_b);
    return false;
}

static bool is_one_product(const struct dataset *file)
{
    const struct frame *devices = &file->devices;
    for (size_t d = 1; d < devices->rows; d++)
        if (strcmp(frame_find_text(devices, d, DEVICE_COLUMN(name)),
                   frame_find_text(devices, 0, DEVICE_COLUMN(name))) != 0)
            return false;
    return true;
}

/* Where the counters of the files keep different laws. Nothing if a file has several products. */
static void show_laws(const struct dataset *a, const struct dataset *b)
{
    static const char *const label[2] = {"A", "B"};
    const struct law_rows rows[2] = {{.dataset = a}, {.dataset = b}};
    struct text told = {0};
    if (is_one_product(a) && is_one_product(b) && law_tell_differences(rows, label, &told))
        printf("\n%s", told.data);
    text_free(&told);
}

/* EXIT_POINTS if a point is slower by more than the limit. */
static int find_code(const struct comparison *comparison, double limit)
{
    size_t slower = 0, judged = 0;
    if (isnan(limit))
        return EXIT_FINE;
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct verdict_ratio *r = &comparison->ratio[i];
        judged += r->verdict != VERDICT_UNKNOWN;
        slower += r->verdict == VERDICT_SLOWER && r->ratio > 1 + limit;
    }
    fflush(stdout);
    if (slower)
        fprintf(stderr, "warpsweep: %zu of %zu points are slower by more than %g %%\n", slower, judged,
                100 * limit);
    return slower || !judged ? EXIT_POINTS : EXIT_FINE;
}

static int finish(const struct arguments *arguments, const struct settings *settings,
                  struct comparison *comparison, struct error *error)
{
    int code = comparison_check(comparison, options_given(arguments, "mixed"), error);
    if (!code) {
        double standard = comparison->paired ? COMPARISON_PAIRED_THRESHOLD : 0.01;
        comparison_judge(comparison, isnan(settings->threshold) ? standard : settings->threshold);
        bool both = has_both(comparison);
        if (both || strcmp(settings->format, "text") != 0) /* scripts get the heads of an empty table */
            show(comparison, settings);
        if (settings->annotate) /* GitHub reads both streams; tables for scripts stay clean */
            annotate_print(strcmp(settings->format, "text") ? stderr : stdout, comparison,
                           settings->fail_above);
        code = both ? find_code(comparison, settings->fail_above) : EXIT_POINTS;
    }
    comparison_free(comparison);
    return code;
}

/* Two versions that were timed together, or two values of a column. */
static int compare_rows(const struct arguments *arguments, const struct view *view,
                        struct comparison *comparison, struct error *error)
{
    const char *by = options_text(arguments, "by"), *baseline = options_text(arguments, "baseline");
    const char *axis = comparison_paired_axis(view->dataset);
    if (axis && (!by || !strcmp(by, axis)))
        return comparison_of_pairs(view, baseline, comparison, error);
    if (!by)
        return error_set(
            error, ERROR_USAGE,
            "compare needs A.h5 B.h5, or one file of a paired run, or one file with --by COLUMN");
    return comparison_by(view, by, baseline, comparison, error);
}

static int compare_within(const struct arguments *arguments, const struct settings *settings,
                          const struct dataset *file, struct error *error)
{
    struct comparison comparison;
    struct view view = view_new(file);
    int code = -1;
    if (filter_rows(arguments, false, &view, error) == 0 &&
        compare_rows(arguments, &view, &comparison, error) == 0)
        code = finish(arguments, settings, &comparison, error);
    view_free(&view);
    return code;
}

static int compare_files(const struct arguments *arguments, const struct settings *settings,
                         const struct dataset *a, const struct dataset *b, struct error *error)
{
    struct comparison comparison;
    struct view view_a = view_new(a), view_b = view_new(b);
    int code = -1;
    if (filter_rows(arguments, false, &view_a, error) == 0 &&
        filter_rows(arguments, false, &view_b, error) == 0) {
        comparison_of_files(&view_a, &view_b, arguments->operand, &comparison);
        code = finish(arguments, settings, &comparison, error);
        bool whole = !options_given(arguments, "kernel") && !options_given(arguments, "where");
        if (code >= 0 && whole && !settings->points && !strcmp(settings->format, "text"))
            show_laws(a, b);
    }
    view_free(&view_a);
    view_free(&view_b);
    return code;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct settings settings;
    size_t files = (size_t)arguments->operands;
    struct dataset *file = read_settings(arguments, &settings, error) == 0
                               ? datasets_read(arguments->operand, files, error)
                               : NULL;
    if (!file)
        return -1;
    int code = files == 1 ? compare_within(arguments, &settings, &file[0], error)
                          : compare_files(arguments, &settings, &file[0], &file[1], error);
    datasets_free(file, files);
    return code;
}

const struct command command_compare = {
    .name = "compare",
    .operands = "A.h5 [B.h5]",
    .operands_min = 1,
    .operands_max = 2,
    .summary = "compare two results files, two versions or two values of a column, with verdicts",
    .details =
        "Compares B with A point by point: faster, slower, same or uncertain. The intervals include "
        "samples,\n"
        "processes and devices, and are corrected for the number of points. Points are paired by id, or by\n"
        "kernel and axis values if the family's version differs. With --by they are paired by all other "
        "axes. One file of a paired run (run --kernels a=DIR --kernels b=DIR) is compared without --by.\n"
        "The assumptions are printed below the table, or on stderr with tsv, csv, json, md and latex.\n"
        "\n"
        "Exit code: 1 if no point was measured on both sides, or with --fail-above, if a point is slower by\n"
        "more than that; 2 if the times are not comparable and --mixed is not given.\n",
    .examples = "  warpsweep compare hopper.h5 blackwell.h5\n"
                "  warpsweep compare before.h5 after.h5 --points -f tsv | awk '$NF == \"slower\"'\n"
                "  warpsweep compare before.h5 after.h5 --fail-above 5% --annotate\n"
                "  warpsweep compare results.h5 --by variant --baseline load -k copy\n"
                "  warpsweep compare results.h5 -k copy --by variant,vector --baseline memcpy,1\n"
                "  warpsweep compare pairs.h5 --threshold 0.2%\n",
    .options = options,
    .run = run,
};
