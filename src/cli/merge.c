/* merge - join the results files of an array's tasks. */
#include "cli/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "plan/grid.h"
#include "store/dataset/hiding.h"
#include "store/merge/store_merge.h"
#include "store/store.h"
#include "verdict/verdict.h"
#include "version.h"

static const char *const prefers[] = {"none", "first", "last", "ok", NULL}; /* by enum merge_prefer */

static const struct command_option options[] = {
    {"output", 'o', "FILE.h5", NULL, NULL, "the results file to write; it must not exist"},
    {"prefer", 0, "WHICH", "none", prefers, "which of different results of a point to keep"},
    {"anonymous", 0, NULL, NULL, NULL, "leave out names of hosts and users, paths and UUIDs"},
    OPTION_ACCEPT,
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
    const char *cut = verdict_cut(&source->data);
    if (cut)
        fprintf(stderr, "warpsweep: note: %s was not closed: %s\n", path, cut);
    return 0;
}

/* The pairs of the merge itself. */
struct pairs {
    struct store_pair *pair; /* owned */
    int count;
    size_t capacity;
};

static void add_pair(struct pairs *pairs, const char *name, const char *value)
{
    for (int i = 0; i < pairs->count; i++)
        if (!strcmp(pairs->pair[i].name, name) && !strcmp(pairs->pair[i].value, value))
            return; /* of a copy of the file */
    pairs->pair = memory_grow(pairs->pair, (size_t)pairs->count, &pairs->capacity, sizeof *pairs->pair);
    pairs->pair[pairs->count++] = (struct store_pair){memory_text(name), memory_text(value), 0};
}

/* What the rows of a file do not tell about its last run. */
static void add_incidents(struct pairs *pairs, const struct merge_source *source)
{
    struct verdict verdict = verdict_of(&source->data);
    for (size_t i = 0; i < verdict.items; i++)
        if (verdict_is_incident(verdict.item[i].reason))
            add_pair(pairs, verdict_reason_words[verdict.item[i].reason], verdict.item[i].text);
    verdict_free(&verdict);
}

static void add_number(struct pairs *pairs, const char *name, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    add_pair(pairs, name, text);
}

/* How many points the file must have: of one share as a file of it says, and all beyond the job, although
 * files may have the same. */
static void add_numbers(struct pairs *pairs, const struct merge_source *source, int count,
                        const struct share *share)
{
    uint64_t others = 0, points = 0;
    for (int i = 0; i < count; i++) {
        const struct share own = share_of(&source[i].data);
        others += dataset_noted(&source[i].data, ENVIRONMENT_OTHERS, 0);
        if (own.number == share->number && own.of == share->of)
            points = dataset_noted(&source[i].data, ENVIRONMENT_POINTS, points);
    }
    if (others)
        add_number(pairs, ENVIRONMENT_OTHERS, others);
    if (points)
        add_number(pairs, ENVIRONMENT_POINTS, points);
}

/* The merge has its own attributes: date and commit of the measurement stay. */
static void describe_merge(struct pairs *pairs, const struct merge_source *source, int count)
{
    struct share share = whole_share(source, count);
    char share_text[32], date[32], release[128];
    struct text files = {0};
    clock_date(date, sizeof date);
    snprintf(share_text, sizeof share_text, "%" PRIu32 "/%" PRIu32, share.number, share.of);
    snprintf(release, sizeof release, "%s, commit %s", WARPSWEEP_RELEASE, WARPSWEEP_COMMIT);
    text_add(&files, "%s", source[0].path);
    for (int i = 1; i < count; i++)
        text_add(&files, " %s", source[i].path);
    add_pair(pairs, "share", share_text);
    if (!hiding_is_done(&source[0].data))
        add_pair(pairs, "merged_from", files.data);
    add_pair(pairs, "merged_at", date);
    add_pair(pairs, "merged_by", release);
    for (int i = 0; i < count; i++)
        add_incidents(pairs, &source[i]);
    add_numbers(pairs, source, count, &share);
    text_free(&files);
}

/* Writes the file with its verdict, which verdict_free releases, also on failure. */
static int merge_and_save(const struct arguments *arguments, struct merge_source *source, const char *output,
                          struct dataset *merged, struct verdict *verdict, struct merge_counts *counts,
                          struct error *error)
{
    int count = arguments->operands, verdicts;
    enum merge_prefer prefer = (enum merge_prefer)text_find(prefers, options_text(arguments, "prefer"));
    struct pairs pairs = {0};
    struct accepted accepted = {0};
    struct text names = {0};
    if (options_accepted(arguments, &accepted, error) != 0)
        return -1;
    accepted_describe(&accepted, &names);
    describe_merge(&pairs, source, count);
    if (names.length)
        add_pair(&pairs, "accepted", names.data);
    text_free(&names);
    int failed =
        merge_datasets(source, count, prefer, &accepted, pairs.pair, pairs.count, merged, counts, error);
    if (!failed) {
        *verdict = verdict_of(merged);
        struct store_pair *pair = verdict_pairs(verdict, merged->mark.run, &verdicts);
        dataset_add_environment(merged, pair, verdicts);
        free(pair);
        failed = store_save(output, merged, error);
    }
    dataset_free_pairs(pairs.pair, pairs.count);
    return failed;
}

/* If it is asked for, or done in one of the files. Before they are compared: hosts have the same name in
 * all. */
static void make_anonymous(struct merge_source *source, int count, bool asked)
{
    struct privacy privacy = privacy_of_user(true);
    for (int i = 0; i < count; i++)
        asked |= hiding_is_done(&source[i].data);
    for (int done = 1; done >= 0 && asked; done--) /* names that are given stay */
        for (int i = 0; i < count; i++) {
            if (hiding_is_done(&source[i].data) != done)
                continue;
            for (int k = 0; k < count && !done; k++)
                if (hiding_is_done(&source[k].data))
                    hiding_match(&privacy, &source[i].data, &source[k].data);
            hiding_learn(&privacy, &source[i].data);
        }
    privacy_number_hosts(&privacy);
    for (int i = 0; i < count && asked; i++)
        hiding_dataset(&privacy, &source[i].data);
    privacy_free(&privacy);
}

static int show(const struct arguments *arguments, const struct merge_source *source, const char *output,
                const struct verdict *verdict, const struct merge_counts *counts)
{
    int count = arguments->operands;
    char line[VERDICT_LINE_SIZE];
    size_t failures = 0;
    for (int s = 0; s < STATUS_COUNT; s++)
        failures += status_is_bad(s) ? verdict->status[s] : 0;
    printf("%s: %zu of %zu points, from %d file%s", output, verdict->done, verdict->done + verdict->left,
           count, count == 1 ? "" : "s");
    if (failures)
        printf(", %zu of them failed", failures);
    printf(", %zu left\n", verdict->left);
    if (counts->equal)
        printf("%zu duplicate results were equal and stored once\n", counts->equal);
    if (counts->replaced)
        printf("%zu points had different results; --prefer %s selected one\n", counts->replaced,
               options_text(arguments, "prefer"));
    if (verdict->missing)
        print_missing_shares(source, count);
    for (size_t at = 0; (at = verdict_line(verdict, at, line)) != 0;)
        printf("%s\n", line);
    return verdict_is_good(verdict) ? EXIT_FINE : EXIT_POINTS;
}

static int run(const struct arguments *arguments, struct error *error)
{
    const char *output = options_text(arguments, "output");
    int count = arguments->operands, read = 0, code = -1;
    struct dataset merged = {0};
    struct verdict verdict = {0};
    struct merge_counts counts;
    if (!output || !*output)
        return error_set(error, ERROR_USAGE, "merge needs a results file to write: -o FILE.h5");
    if (options_results_file(output, error) != 0)
        return -1;
    struct merge_source *source = memory_new((size_t)count, sizeof *source);
    for (; read < count; read++) {
        source[read].path = arguments->operand[read];
        if (read_source(&source[read], arguments->operands == 1, error) != 0)
            break;
    }
    if (read == count)
        make_anonymous(source, count, options_given(arguments, "anonymous"));
    if (read == count && merge_and_save(arguments, source, output, &merged, &verdict, &counts, error) == 0)
        code = show(arguments, source, output, &verdict, &counts);
    verdict_free(&verdict);
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
        "Exit code: 0 if the merged file is good (warpsweep status --help), 1 if not, 2 if the files do not\n"
        "belong together.\n",
    .examples = "  warpsweep merge results.*-of-8.h5 -o results.h5\n"
                "  warpsweep merge before.h5 after.h5 -o whole.h5 --prefer ok\n",
    .options = options,
    .run = run,
};
