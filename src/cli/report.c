/* report - before and after, as measured; and the model against the hardware. */
#include "cli/command.h"

#include <string.h>

#include "base/text.h"
#include "cli/report/model.h"
#include "cli/report/pair.h"

#define FILES_MAX 64

static const char *const formats[] = {"md", "latex", NULL};

static const struct command_option options[] = {
    {"format", 'f', "FORMAT", "md", formats, "Markdown, or LaTeX for \\input"},
    {"model", 'm', NULL, NULL, NULL, "what the access model predicts against what was counted, per kernel"},
    {0},
};

/* What was measured on; a caption's lines become one. */
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

static void print_pairs(struct document *document, const struct merged *merged)
{
    bool shown[64] = {false};
    int missing = 0;
    document_heading(document, 1, "Before and after, measured");
    document_paragraph(document,
                       "Times are medians with their 95 %% confidence intervals. The figures of the "
                       "source are illustrative: they were not measured on these devices.");
    print_sources(document, merged);
    for (int i = 0; pairs[i].table; i++) {
        shown[i] = report_pair(document, merged, &pairs[i]) > 0;
        missing += !shown[i];
    }
    if (!missing)
        return;
    document_heading(document, 2, "Not in these files");
    document_items_begin(document);
    for (int i = 0; pairs[i].table; i++)
        if (!shown[i])
            document_item(document, "%s, %s: %s. Measured by %s", pairs[i].table, pairs[i].kernel,
                          pairs[i].title, pairs[i].job);
    document_items_end(document);
}

static int print_model(struct document *document, const struct merged *merged)
{
    document_heading(document, 1, "Model against hardware");
    print_sources(document, merged);
    return report_model(document, merged) > 0 ? EXIT_POINTS : EXIT_FINE;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct merged merged;
    struct document document = {.out = stdout, .latex = !strcmp(options_text(arguments, "format"), "latex")};
    int code = EXIT_FINE;
    if (merge_read(arguments->operand, arguments->operands, &merged, error) != 0)
        return -1;
    if (options_given(arguments, "model"))
        code = print_model(&document, &merged);
    else
        print_pairs(&document, &merged);
    merge_free(&merged);
    return code;
}

const struct command command_report = {
    .name = "report",
    .operands = "FILE.h5...",
    .least = 1,
    .most = FILES_MAX,
    .summary = "before and after, as measured, beside the textbooks' figures; the model against hardware",
    .details =
        "One table for each textbook pair whose points the files have, device by device; the others are "
        "listed\n"
        "with the job file that measures them. Where a measurement contradicts the source, the table says "
        "so.\n"
        "A number that was not measured or counted is a dash, never 0.\n\n"
        "--model compares every predicted column with what was counted and lists the points that disagree:\n"
        "at all for counts per request, by over 0.1 % for totals, by over 2 % for DRAM. Exit code 1 then.\n",
    .examples = "  warpsweep report results.h5\n"
                "  warpsweep report hopper.h5 blackwell.h5 --format latex >pairs.tex\n"
                "  warpsweep report results.h5 --model\n",
    .options = options,
    .run = run,
};
