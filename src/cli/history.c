/* history - many runs of one job over months: when did times change, and what else did? */
#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trend.h"
#include "base/memory.h"
#include "base/text.h"
#include "output/document.h"
#include "table/row_point.h"

#define FILES_MAX 256

static const struct command_option options[] = {
    {"threshold", 't', "SHARE", "1%", NULL, "the smallest change that matters"},
    {"points", 'p', NULL, NULL, NULL, "list every point that changed"},
    {"format", 'f', "FORMAT", "md", document_formats, "Markdown, or LaTeX for \\input"},
    OPTION_SALVAGE,
    {0},
};

/* "2026-11-23T17:37:52Z" → "2026-11-23 17:37". */
static const char *date_of(const struct dataset *file, char out[32])
{
    const char *start = dataset_environment(file, "start");
    snprintf(out, 32, "%.10s %.5s", start, strlen(start) > 11 ? start + 11 : "");
    return out;
}

static double percent(double ratio)
{
    return 100 * (ratio - 1);
}

static void print_runs(struct document *document, const struct trend *trend)
{
    static const char *const heads[] = {
        "run", "date", "unit", "driver", "commit", "time against the last, %", "from", "to"};
    document_table_begin(document, "rllllrrr", heads);
    for (size_t run = 0; run < trend->runs; run++) {
        const struct dataset *file = &trend->file[run];
        const char *commit = dataset_environment(file, "commit");
        const struct verdict_ratio *level = &trend->level[run];
        char date[32];
        document_cell(document, "%zu", run + 1);
        document_cell(document, "%s", date_of(file, date));
        document_cell(document, "%.12s",
                      file->devices.rows == 1 ? frame_find_text(&file->devices, 0, DEVICE_COLUMN(uuid))
                                              : "several");
        document_cell(document, "%s", frame_find_text(&file->devices, 0, DEVICE_COLUMN(driver)));
        document_cell(document, "%.12s", commit ? commit : "");
        if (run + 1 == trend->runs || isnan(level->ratio)) {
            for (int i = 0; i < 3; i++)
                document_cell(document, "-");
            continue;
        }
        document_cell(document, "%+.2f", percent(level->ratio));
        document_cell(document, "%+.2f", percent(level->low));
        document_cell(document, "%+.2f", percent(level->high));
    }
    document_table_end(document);
}

/* The changes at one run: of those in one direction, how many, and the range of their ratios. */
static void print_direction(struct document *document, const struct trend *trend, size_t from, size_t to,
                            enum verdict verdict)
{
    size_t count = 0;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = from; i < to; i++) {
        const struct verdict_ratio *ratio = &trend->change[i].ratio;
        if (ratio->verdict != verdict)
            continue;
        count++;
        least = fmin(least, ratio->ratio);
        most = fmax(most, ratio->ratio);
    }
    document_cell(document, "%zu", count);
    if (count)
        document_cell(document, "%+.1f to %+.1f", percent(least), percent(most));
    else
        document_cell(document, "-");
}

static size_t end_of_run(const struct trend *trend, size_t from)
{
    size_t to = from;
    while (to < trend->changes && trend->change[to].run == trend->change[from].run)
        to++;
    return to;
}

static void print_changes(struct document *document, const struct trend *trend)
{
    static const char *const heads[] = {"from run", "date",  "slower",           "by, %",
                                        "faster",   "by, %", "what else changed"};
    document_table_begin(document, "rlrrrrl", heads);
    for (size_t from = 0, to; from < trend->changes; from = to) {
        size_t run = trend->change[from].run;
        struct text context = {0};
        char date[32];
        to = end_of_run(trend, from);
        trend_context(trend, run, TREND_BOTH, &context);
        document_cell(document, "%zu", run + 1);
        document_cell(document, "%s", date_of(&trend->file[run], date));
        print_direction(document, trend, from, to, VERDICT_SLOWER);
        print_direction(document, trend, from, to, VERDICT_FASTER);
        document_cell(document, "%s", context.length ? context.data : "nothing that the files tell");
        text_free(&context);
    }
    document_table_end(document);
}

static void print_points(struct document *document, const struct trend *trend)
{
    static const char *const heads[] = {"from run", "time, %", "from", "to", "point"};
    const struct frame *results = &trend->file[trend->runs - 1].results;
    document_table_begin(document, "rrrrl", heads);
    for (size_t i = 0; i < trend->changes; i++) {
        const struct trend_change *change = &trend->change[i];
        struct text name = {0};
        struct point point;
        if (row_point(results, change->row, &point))
            point_describe(&point, &name);
        document_cell(document, "%zu", change->run + 1);
        document_cell(document, "%+.2f", percent(change->ratio.ratio));
        document_cell(document, "%+.2f", percent(change->ratio.low));
        document_cell(document, "%+.2f", percent(change->ratio.high));
        document_cell(document, "%s",
                      name.data ? name.data : frame_find_text(results, change->row, COLUMN(id)));
        text_free(&name);
    }
    document_table_end(document);
}

/* Returns the exit code: whether a point is slower by its last change. */
static int print(struct document *document, const struct trend *trend, bool points)
{
    int code = EXIT_FINE;
    document_heading(document, 1, "History of %s",
                     frame_find_text(&trend->file[0].devices, 0, DEVICE_COLUMN(name)));
    print_runs(document, trend);
    if (trend->changes) {
        document_heading(document, 2, "Changes at %zu places", trend->changes);
        print_changes(document, trend);
    }
    if (trend->changes && points)
        print_points(document, trend);
    document_paragraph(
        document,
        "%zu points that at least three runs have measured, %zu changes. A change is the mean of the runs "
        "from there on against those before, up to other changes; expected share of wrong ones: 1 %%. "
        "What else changed may be the cause, or not.",
        trend->points, trend->changes);
    for (size_t i = 0; i < trend->changes; i++) {
        bool last = true;
        for (size_t k = i + 1; k < trend->changes; k++)
            last &= trend->change[k].row != trend->change[i].row;
        if (last && trend->change[i].ratio.verdict == VERDICT_SLOWER)
            code = EXIT_POINTS;
    }
    return code;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct document document = document_new(stdout, options_text(arguments, "format"));
    size_t count = (size_t)arguments->operands;
    double threshold;
    int code = -1;
    struct dataset *file = options_share(arguments, "threshold", &threshold, error) == 0
                               ? datasets_read(arguments->operand, count, error)
                               : NULL;
    if (!file)
        return -1;
    if (trend_sort(file, count, error) == 0) {
        struct trend trend = trend_of(file, count, threshold);
        code = print(&document, &trend, options_given(arguments, "points"));
        trend_free(&trend);
    }
    datasets_free(file, count);
    return code;
}

const struct command command_history = {
    .name = "history",
    .operands = "FILE.h5...",
    .operands_min = 1,
    .operands_max = FILES_MAX,
    .summary = "many runs of one job: when times changed for good, and what else did",
    .details = "Sorts the files of one product by their start, and finds the runs from which on a point "
               "takes longer\n"
               "or shorter. For each such run it prints how many points changed and by how much. Beside them "
               "is what\n"
               "the files tell of other changes: unit, host, driver, toolkit, firmware, commit.\n"
               "\n"
               "Intervals include what further runs and units of the product add, if its profile tells. At "
               "most one\n"
               "of a hundred changes is expected to be wrong. Points are those of the last file.\n"
               "\n"
               "Exit code: 1 if the last change of a point made it slower; 2 for fewer than three files, or "
               "files of\n"
               "several products.\n",
    .examples = "  warpsweep history before.h5 good1.h5 good2.h5 after.h5\n"
                "  warpsweep history good*.h5 results.h5 --points -f latex >history.tex\n",
    .options = options,
    .run = run,
};
