/* merge - join the results files of an array's tasks. */
#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/result.h"
#include "plan/grid.h"
#include "store/merge/merge.h"
#include "store/store.h"
#include "table/table.h"
#include "version.h"

static const char *const prefers[] = {"none", "first", "last", "ok", NULL}; /* by enum merge_prefer */

static const struct command_option options[] = {
    {"output", 'o', "FILE.h5", NULL, NULL, "the results file to write; it must not exist"},
    {"prefer", 0, "WHICH", "none", prefers, "which of different results of a point to keep"},
    OPTION_HELP,
};

#define SHARES_SHOWN 20

/* The share of the job in a file. Files of releases before 0.3 have the whole job. */
static struct share share_of(const struct dataset *dataset)
{
    struct share share = {1, 1};
    const char *text = dataset_environment(dataset, "share");
    if (text)
        share_parse(text, &share);
    return share;
}

/* The share that the merged file must have: that of all files if they agree, else the whole job. */
static struct share whole_share(const struct merge_source *source, int count)
{
    struct share whole = share_of(&source[0].data);
    for (int i = 1; i < count; i++) {
        struct share share = share_of(&source[i].data);
        if (share.number != whole.number || share.of != whole.of)
            return (struct share){1, 1};
    }
    return whole;
}

/* Of files that are shares of equally many. */
static void print_missing_shares(const struct merge_source *source, int count)
{
    const uint32_t of = share_of(&source[0].data).of;
    bool *found = memory_new((size_t)of + 1, sizeof *found), same = true;
    uint32_t missing = 0;
    for (int i = 0; i < count && same; i++) {
        struct share share = share_of(&source[i].data);
        same = share.of == of;
        found[same ? share.number : 0] = true;
    }
    for (uint32_t number = 1; same && number <= of; number++)
        if (!found[number] && missing++ < SHARES_SHOWN)
            printf("%s %" PRIu32, missing == 1 ? "missing shares:" : ",", number);
    if (missing > SHARES_SHOWN)
        printf(" and %" PRIu32 " more", missing - SHARES_SHOWN);
    if (missing)
        printf(" of %" PRIu32 "\n", of);
    free(found);
}

/* Refuses a file that a run is writing, unless it is the only one: its later rows would be missing. */
static int read_source(struct merge_source *source, bool alone, struct error *error)
{
    const char *path = source->path;
    if (dataset_read(path, &source->data, error) != 0)
        return -1;
    if (source->data.writer && !alone) {
        dataset_free(&source->data);
        return error_set(error, ERROR_ENVIRONMENT, "%s: a run is writing it; merge it after the run", path);
    }
    if (source->data.running)
        fprintf(stderr, "warpsweep: note: %s was not closed: its run %s\n", path,
                source->data.writer ? "goes on" : "was killed, or continues on another node");
    return 0;
}

/* The merge has its own attributes: date and commit of the measurement stay. */
static int merge_and_save(const struct arguments *arguments, struct merge_source *source, const char *output,
                          struct dataset *merged, struct merge_counts *counts, struct error *error)
{
    int count = arguments->operands, failed;
    struct share share = whole_share(source, count);
    char share_text[32], date[32], release[128];
    time_t now = time(NULL);
    struct tm utc;
    struct text files = {0};
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    snprintf(share_text, sizeof share_text, "%" PRIu32 "/%" PRIu32, share.number, share.of);
    snprintf(release, sizeof release, "%s, commit %s", WARPSWEEP_RELEASE, WARPSWEEP_COMMIT);
    for (int i = 0; i < count; i++)
        text_add(&files, "%s%s", i ? " " : "", source[i].path);
    const struct store_pair pair[] = {{.name = (char *)"share", .value = share_text},
                                      {.name = (char *)"merged_from", .value = files.data},
                                      {.name = (char *)"merged_at", .value = date},
                                      {.name = (char *)"merged_by", .value = release}};
    failed = merge_datasets(source, count,
                            (enum merge_prefer)text_find(prefers, options_text(arguments, "prefer")), pair,
                            (int)(sizeof pair / sizeof *pair), merged, counts, error);
    if (!failed)
        failed = store_save(output, merged, merged->environment[0].run, error);
    text_free(&files);
    return failed;
}

static int show(const struct arguments *arguments, const struct merge_source *source, const char *output,
                const struct dataset *merged, const struct merge_counts *counts)
{
    int count = arguments->operands;
    struct share share = whole_share(source, count);
    size_t planned = share_count(&share, merged->planned), failures = 0;
    size_t left = planned > counts->points ? planned - counts->points : 0;
    for (size_t row = 0; row < merged->results.rows; row++)
        failures += dataset_is_point(merged, row) && status_is_bad(row_status(&merged->results, row));
    printf("%s: %zu of %zu points, from %d file%s", output, counts->points, planned, count,
           count == 1 ? "" : "s");
    if (failures)
        printf(", %zu of them failed", failures);
    printf(", %zu left\n", left);
    if (counts->equal)
        printf("%zu duplicate results were equal and stored once\n", counts->equal);
    if (counts->replaced)
        printf("%zu points had different results; --prefer %s selected one\n", counts->replaced,
               options_text(arguments, "prefer"));
    if (left)
        print_missing_shares(source, count);
    return failures || left ? EXIT_POINTS : EXIT_FINE;
}

static int run(const struct arguments *arguments, struct error *error)
{
    const char *output = options_text(arguments, "output");
    int count = arguments->operands, read = 0, code = -1;
    struct dataset merged = {0};
    struct merge_counts counts;
    if (!output)
        return error_set(error, ERROR_USAGE, "merge needs a results file to write: -o FILE.h5");
    if (io_check_name(output, error) != 0)
        return -1;
    struct merge_source *source = memory_new((size_t)count, sizeof *source);
    for (; read < count; read++) {
        source[read].path = arguments->operand[read];
        if (read_source(&source[read], arguments->operands == 1, error) != 0)
            break;
    }
    if (read == count && merge_and_save(arguments, source, output, &merged, &counts, error) == 0)
        code = show(arguments, source, output, &merged, &counts);
    dataset_free(&merged);
    while (read-- > 0)
        dataset_free(&source[read].data);
    free(source);
    return code;
}

const struct command command_merge = {
    .name = "merge",
    .operands = "FILE.h5...",
    .operands_min = 1,
    .operands_max = SHARES_MAX,
    .summary = "join the files of several runs of one job",
    .details =
        "Joins the files of `run --share K/N`, or of a job that was run in parts; `run --resume` completes\n"
        "the result. Files must agree in job, seed, back end, counters, device model and build; otherwise\n"
        "the difference is printed. Different results of a point are an error unless --prefer selects one:\n"
        "that of the first file, of the last file, or the first that is ok.\n"
        "\n"
        "Exit code: 0 if all points are ok or unsupported, 1 if some failed or are missing, 2 if the files\n"
        "do not belong together.\n",
    .examples = "  warpsweep merge results.*-of-8.h5 -o results.h5\n"
                "  warpsweep merge before.h5 after.h5 -o whole.h5 --prefer ok\n",
    .options = options,
    .run = run,
};
