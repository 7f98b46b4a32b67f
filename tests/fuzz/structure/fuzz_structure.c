/* fuzz_structure KIND [--seed N] [--rounds N | --seconds N] [--commands N] [--resumes N] [--verbose] [FOUND...]
 *
 * Changes what the fields of an input mean, not only its bytes, puts its checksums right, and runs the commands that take
 * it, under sanitizers. KIND is
 *   results    results files
 *   journals   journals, with and without a file beside them
 *   texts      job files, profiles, lists of machine code and of claims
 *   pipe       what a worker sends to its rank
 * or all: one after the other. `check-itself` tries whether crashes, lost memory and the like are found. Round N of seed S is round 0 of seed S+N. --commands: so many of the commands that
 * read the file are tried on each, chosen by the seed; 0: all. --resumes: one in so many files is resumed.
 *
 * FOUND are files of changes that found something before (tests/fuzz/found/NAME.changes): they are tried first, with all commands.
 * A new find is printed in that form, and the exit code is 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "bases.h"
#include "checks.h"
#include "cli/program/cli.h"
#include "command.h"
#include "results_changes.h"
#include "text_changes.h"
#include "texts.h"
#include "values.h"

enum { JOURNAL_RESUMES = 7 }; /* a journal is resumed so many times as often as a file */

enum kind { KIND_RESULTS, KIND_JOURNALS, KIND_TEXTS, KIND_PIPE, KINDS };
static const char *const kind_words[KINDS] = {"results", "journals", "texts", "pipe"};

struct options {
    uint64_t seed;
    size_t rounds, commands, resumes;
    double seconds;
    bool verbose;
};

struct campaign {
    struct options options;
    struct base base[BASES];
    uint64_t seed;       /* of this round */
    const char *name;    /* of a FOUND; NULL: it follows from the seed */
    struct text changes; /* the first line says of what */
    int found;
};

static void tell(void *context, const char *command, const char *what, const char *printed)
{
    struct campaign *campaign = context;
    if (campaign->name)
        printf("FOUND by %s: warpsweep %s: %s\n", campaign->name, command, what);
    else
        printf("FOUND by seed %llu: warpsweep %s: %s\n", (unsigned long long)campaign->seed, command, what);
    for (const char *line = campaign->changes.data; line && *line;) {
        int length = (int)strcspn(line, "\n");
        printf("    %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    printf("  %.3500s\n", printed);
    fflush(stdout);
    campaign->found++;
}

static struct trial new_trial(struct campaign *campaign, struct dice *dice, int base)
{
    const struct options *options = &campaign->options;
    return (struct trial){.folder = campaign->base[base].folder,
                          .dice = dice,
                          .commands = options->commands,
                          .resumes = campaign->base[base].resumable ? options->resumes : 0,
                          .verbose = options->verbose,
                          .tell = tell,
                          .context = campaign};
}

/* ---- Trying the changes ---- */

/* Each line of the changes but the first. */
static void each_change(const struct campaign *campaign, bool (*apply)(void *input, const char *line),
                        void *input)
{
    char *copy = memory_text(campaign->changes.data ? campaign->changes.data : ""), *rest = copy;
    strtok_r(rest, "\n", &rest);
    for (char *line; (line = strtok_r(rest, "\n", &rest));)
        if (!apply(input, line))
            printf("not a change: %s\n", line);
    free(copy);
}

static bool apply_to_tables(void *input, const char *line)
{
    return results_apply(input, line);
}

static bool apply_to_records(void *input, const char *line)
{
    return records_apply(input, line);
}

static void path_in(const struct base *base, const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s/%s", base->folder, name);
}

static void try_results(struct campaign *campaign, struct dice *dice, int which)
{
    char path[400];
    struct base *base = &campaign->base[which];
    struct tables changed = tables_copy(&base->tables);
    each_change(campaign, apply_to_tables, &changed);
    path_in(base, "file.h5.journal", path, sizeof path);
    unlink(path);
    path_in(base, "file.h5", path, sizeof path);
    tables_write(&changed, path);
    tables_free(&changed);
    const struct trial trial = new_trial(campaign, dice, which);
    checks_of_file(&trial);
}

static void try_journal(struct campaign *campaign, struct dice *dice, int which)
{
    char path[400];
    struct base *base = &campaign->base[which];
    struct journal_records changed = records_copy(&base->journal);
    each_change(campaign, apply_to_records, &changed);
    path_in(base, "file.h5.journal", path, sizeof path);
    records_write(&changed, path);
    records_free(&changed);
    path_in(base, "file.h5", path, sizeof path);
    if (base->alone)
        unlink(path);
    else
        tables_write(&base->tables, path);
    struct trial trial = new_trial(campaign, dice, which);
    trial.journal = true;
    trial.resumes = (trial.resumes + JOURNAL_RESUMES - 1) / JOURNAL_RESUMES;
    checks_of_file(&trial);
}

static void try_text(struct campaign *campaign, struct dice *dice, int kind, const char *word)
{
    size_t count;
    char *text = value_unescape(word, &count);
    const struct trial trial = new_trial(campaign, dice, dice_one_in(dice, 2) ? BASE_RUN : BASE_GPU);
    texts_try(kind, text, &trial);
    free(text);
}

static void try_pipe(struct campaign *campaign, struct dice *dice)
{
    char seed[32], path[400];
    struct trial trial = new_trial(campaign, dice, BASE_RUN);
    path_in(&campaign->base[BASE_RUN], "piped.h5", path, sizeof path);
    unlink(path);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)campaign->seed);
    setenv("WARPSWEEP_PIPE_SEED", seed, 1);
    path_in(&campaign->base[BASE_RUN], "workers", path, sizeof path);
    unlink(path);
    setenv("WARPSWEEP_PIPE_COUNT", path, 1);
    const char *line = "run hasty.yaml -o piped.h5 --backend fake";
    int code = checks_of_command(&trial, line);
    unsetenv("WARPSWEEP_PIPE_SEED");
    *(code >= 2 ? &checks_refused : &checks_accepted) += 1;
    path_in(&campaign->base[BASE_RUN], "piped.h5", path, sizeof path);
    if (access(path, F_OK) == 0 && checks_of_command(&trial, "status --verify piped.h5") != 0)
        tell(campaign, line, "made a file that verify refuses", "");
    path_in(&campaign->base[BASE_RUN], "piped.h5.journal", path, sizeof path);
    unlink(path);
}

/* The first line: results BASE, journals BASE, texts KIND TEXT. */
static void try_changes(struct campaign *campaign, struct dice *dice)
{
    char *copy = memory_text(campaign->changes.data ? campaign->changes.data : "results 0\n"), *rest = copy;
    const char *kind = strtok_r(rest, " \n", &rest), *which = strtok_r(rest, " \n", &rest),
               *text = strtok_r(rest, " \n", &rest);
    int base = which ? (int)strtol(which, NULL, 10) % BASES : 0;
    if (kind && which && !strcmp(kind, "results"))
        try_results(campaign, dice, base < BASE_KILLED ? base : BASE_RUN);
    else if (kind && which && !strcmp(kind, "journals"))
        try_journal(campaign, dice, base < BASE_KILLED ? BASE_KILLED : base);
    else if (kind && which && text)
        for (int i = 0; i < TEXT_KINDS; i++)
            if (!strcmp(which, text_kinds[i]))
                try_text(campaign, dice, i, text);
    free(copy);
}

/* ---- Rounds ---- */

static size_t how_many(struct dice *dice)
{
    return 1 + (dice_one_in(dice, 3) ? dice_below(dice, 4) : 0);
}

static void propose(struct campaign *campaign, enum kind kind, struct dice *dice, const char *source)
{
    struct text *changes = &campaign->changes;
    if (kind == KIND_RESULTS) {
        int base = dice_one_in(dice, 3) ? BASE_GPU : BASE_RUN;
        text_add(changes, "results %d\n", base);
        for (size_t count = how_many(dice); count; count--)
            results_propose(dice, &campaign->base[base].tables, changes);
    } else if (kind == KIND_JOURNALS) {
        int base = dice_one_in(dice, 2) ? BASE_KILLED_ALONE : BASE_KILLED;
        text_add(changes, "journals %d\n", base);
        for (size_t count = how_many(dice); count; count--)
            records_propose(dice, &campaign->base[base].journal, changes);
    } else if (kind == KIND_TEXTS) {
        int which = dice_one_in(dice, 2) ? 0 : 1 + (int)dice_below(dice, TEXT_KINDS - 1);
        struct text changed = {0};
        char *original = texts_choose(which, dice, source);
        text_mutate(dice, original, &changed);
        text_add(changes, "texts %s ", text_kinds[which]);
        value_escape(changes, changed.data ? changed.data : "", changed.length);
        text_add(changes, "\n");
        text_free(&changed);
        free(original);
    }
}

static void run_rounds(struct campaign *campaign, enum kind kind, const char *source)
{
    const struct options *options = &campaign->options;
    double began = clock_now(), seconds;
    size_t round = 0, commands = forked_runs, found = (size_t)campaign->found;
    checks_accepted = checks_refused = 0;
    for (; (!options->rounds || round < options->rounds) &&
           (!options->seconds || clock_now() - began < options->seconds) &&
           (options->rounds || options->seconds);
         round++) {
        struct dice dice = {campaign->seed = options->seed + round};
        text_free(&campaign->changes);
        if (kind == KIND_PIPE) {
            try_pipe(campaign, &dice);
            continue;
        }
        propose(campaign, kind, &dice, source);
        try_changes(campaign, &dice);
    }
    seconds = clock_now() - began;
    commands = forked_runs - commands;
    printf("%s: seeds %llu to %llu, %zu inputs (%zu accepted, %zu refused), %zu commands in %.1f s: %.1f "
           "inputs and %.1f "
           "commands per second; %zu found\n",
           kind_words[kind], (unsigned long long)options->seed,
           (unsigned long long)(options->seed + (round ? round - 1 : 0)), round, checks_accepted,
           checks_refused, commands, seconds, (double)round / seconds, (double)commands / seconds,
           (size_t)campaign->found - found);
    fflush(stdout);
}

static void try_found(struct campaign *campaign, const char *path)
{
    const struct options kept = campaign->options;
    struct error error;
    size_t size;
    char *bytes = io_read_file(path, 1 << 20, &size, &error);
    if (!bytes) {
        printf("%s\n", error.text);
        exit(2);
    }
    struct dice dice = {0};
    campaign->options.commands = 0;
    campaign->options.resumes = 1;
    campaign->name = path;
    text_free(&campaign->changes);
    text_append(&campaign->changes, bytes, size);
    try_changes(campaign, &dice);
    campaign->name = NULL;
    campaign->options = kept;
    free(bytes);
}

static int read_options(int argc, char **argv, struct options *options)
{
    *options = (struct options){.seed = (uint64_t)time(NULL) * 1000, .commands = 6, .resumes = 20};
    int at = 2;
    for (; at < argc && argv[at][0] == '-'; at++) {
        uint64_t number = at + 1 < argc ? strtoull(argv[at + 1], NULL, 10) : 0;
        if (!strcmp(argv[at], "--verbose")) {
            options->verbose = true;
            continue;
        }
        if (!strcmp(argv[at], "--seed"))
            options->seed = number;
        else if (!strcmp(argv[at], "--rounds"))
            options->rounds = (size_t)number;
        else if (!strcmp(argv[at], "--seconds"))
            options->seconds = (double)number;
        else if (!strcmp(argv[at], "--commands"))
            options->commands = (size_t)number;
        else if (!strcmp(argv[at], "--resumes"))
            options->resumes = (size_t)number;
        else
            return -1;
        at++;
    }
    return at;
}

/* What must be found is found. */
static int check_itself(void)
{
    static const char *const bad[] = {"misbehave abort", "misbehave exit",
#ifdef __SANITIZE_ADDRESS__
                                      "misbehave overflow", "misbehave leak",
#endif
                                      "status --verify no_such_file"};
    enum { BAD = sizeof bad / sizeof *bad };
    int wrong = 0;
    for (int i = 0; i < BAD; i++) {
        struct outcome outcome = run_forked(bad[i], "/", true);
        bool refused = i == BAD - 1; /* and no more */
        if (refused ? *outcome.how || outcome.code < 2 : !*outcome.how) {
            printf("%s: exit code %d, '%s': %s\n", bad[i], outcome.code, outcome.how, outcome.errors);
            wrong++;
        }
        outcome_free(&outcome);
    }
    return wrong > 0;
}

int main(int argc, char **argv)
{
    struct campaign campaign = {0};
    int kind = 0, all = argc > 1 && !strcmp(argv[1], "all");
    if (argc == 2 && !strcmp(argv[1], "check-itself"))
        return check_itself();
    while (argc > 1 && kind < KINDS && strcmp(argv[1], kind_words[kind]) != 0)
        kind++;
    if (argc < 2 || (kind == KINDS && !all))
        return cli_main(argc, argv);
    int first = read_options(argc, argv, &campaign.options);
    if (first < 0) {
        fprintf(stderr, "fuzz_structure: unknown option; see fuzz_structure.c\n");
        return 2;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* a column's name may be there twice */
    printf("seed %llu\n", (unsigned long long)campaign.options.seed);
    if (!bases_make(campaign.base, SOURCE_FOLDER))
        return 1;
    for (int i = first; i < argc; i++)
        try_found(&campaign, argv[i]);
    for (int i = all ? 0 : kind; i <= (all ? KINDS - 1 : kind); i++)
        run_rounds(&campaign, (enum kind)i, SOURCE_FOLDER);
    bases_free(campaign.base);
    text_free(&campaign.changes);
    return campaign.found > 0;
}
