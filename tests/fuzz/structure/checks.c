#include "checks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "command.h"

#define VERIFY "status --verify"

size_t checks_refused, checks_accepted;

/* Commands that read a file. */
static const char *const readers[] = {
    "status file.h5",
    "table file.h5",
    "table file.h5 -c all --canaries",
    "table file.h5 -c all -f csv",
    "table file.h5 -c all -f json",
    "table file.h5 -c all -f jsonl",
    "table file.h5 -c all -f text",
    "table file.h5 -w size=1MiB -w stride<=2 -s status,-time_median -n 3 -c id,device.name,device.peak_copy",
    "table file.h5 --top 10",
    "table file.h5 --top 10 --by time_median -c all -f json",
    "table file.h5 --top 1000000 --per kernel,dtype -f text",
    "merge file.h5 base.h5 -o merged.h5 --prefer last",
    "merge base.h5 file.h5 -o merged.h5",
    "points --of file.h5 -o points.h5",
};
enum { READERS = sizeof readers / sizeof *readers };

struct verdict {
    bool refused;  /* by verify */
    bool timeline; /* for /timeline, damage of which costs the timeline alone */
};

static void tell(const struct trial *trial, int *broken, const char *line, const char *what,
                 const char *printed)
{
    (*broken)++;
    trial->tell(trial->context, line, what, printed);
}

/* A line that has one of the words, and not `but`. */
static bool has_line(const char *text, const char *const *words, const char *but)
{
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        char *copy = memory_new(length + 1, 1);
        memcpy(copy, line, length);
        bool found = false;
        for (size_t i = 0; words[i] && !found; i++)
            found = strstr(copy, words[i]) && !strstr(copy, but);
        free(copy);
        if (found)
            return true;
        line += length + (line[length] == '\n');
    }
    return false;
}

/* Words of messages that refuse a file for what is in it, rather than for what the command wants of it. */
static bool is_refusal(const char *text)
{
    static const char *const words[] = {"corrupt",
                                        "cannot read /",
                                        "not a results file",
                                        "checksum",
                                        "newer release of warpsweep wrote",
                                        "cannot be opened as a results file",
                                        "damaged",
                                        NULL};
    return has_line(text, words, "warpsweep: note: ");
}

/* Does verify refuse /timeline alone? Readers leave it out. */
static bool is_timeline_alone(const char *text)
{
    static const char *const words[] = {"CHECKSUM WRONG", "CHECKSUM MISSING", "DAMAGED", "CORRUPT in", NULL};
    return has_line(text, words, "no such") && !has_line(text, words, "/timeline");
}

static bool names_table(const char *text)
{
    static const char *const names[] = {"/results", "/samples",     "/devices",  "/columns",
                                        "/job",     "/environment", "/timeline", "not a results file",
                                        "format",   "journal",      "attribute"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(text, names[i]))
            return true;
    return false;
}

static uint64_t hash_file(const char *folder, const char *name)
{
    char path[512];
    struct error error;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *bytes = access(path, F_OK) ? NULL : io_read_file(path, SIZE_MAX, &size, &error);
    uint64_t hash = bytes ? hash_bytes(HASH_START, bytes, size) : 0;
    free(bytes);
    return hash;
}

static void see(const struct trial *trial, int *broken, const char *line, const struct outcome *outcome)
{
    if (trial->verbose)
        printf("%7.1f ms  %d  %s  %.*s\n", outcome->seconds * 1e3, outcome->code, line,
               outcome->code < 2 ? 0 : (int)strcspn(outcome->errors, "\n"), outcome->errors);
    if (*outcome->how)
        tell(trial, broken, line, outcome->how, outcome->errors);
}

static struct outcome run(const struct trial *trial, int *broken, const char *line, bool leaks)
{
    struct outcome outcome = run_forked(line, trial->folder, leaks);
    see(trial, broken, line, &outcome);
    return outcome;
}

/* Tell of `line` if verify refuses the file that it left. */
static void expect_verified(const struct trial *trial, int *broken, const char *line, const char *file)
{
    char command[256];
    snprintf(command, sizeof command, "status --verify %s", file);
    struct outcome outcome = run(trial, broken, command, false);
    if (outcome.code != 0)
        tell(trial, broken, line, "made a file that verify refuses",
             *outcome.errors ? outcome.errors : outcome.output);
    outcome_free(&outcome);
}

/* JSON as RFC 8259 has it, with nothing behind it. */
static const char *skip_json(const char *at, int depth)
{
    static const char *const words[] = {"null", "true", "false"};
    at += strspn(at, " \n\t");
    if (depth > 20)
        return NULL;
    if (*at == '{' || *at == '[') {
        char end = *at == '{' ? '}' : ']';
        at++;
        at += strspn(at, " \n\t");
        if (*at == end)
            return at + 1;
        for (;;) {
            if (end == '}') {
                at += strspn(at, " \n\t");
                at = *at == '"' ? skip_json(at, depth + 1) : NULL;
                if (!at || *(at += strspn(at, " \n\t")) != ':')
                    return NULL;
                at++;
            }
            at = skip_json(at, depth + 1);
            if (!at)
                return NULL;
            at += strspn(at, " \n\t");
            if (*at != ',')
                return *at == end ? at + 1 : NULL;
            at++;
        }
    }
    if (*at == '"') {
        for (at++; *at && *at != '"' && (unsigned char)*at >= ' '; at++)
            if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at))
                return NULL;
        return *at == '"' ? at + 1 : NULL;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(at, words[i], strlen(words[i])))
            return at + strlen(words[i]);
    if (*at != '-' && !isdigit((unsigned char)*at))
        return NULL;
    char *end;
    strtod(at, &end);
    return end > at && !memchr(at, 'x', (size_t)(end - at)) && !memchr(at, 'n', (size_t)(end - at)) ? end
                                                                                                    : NULL;
}

static bool is_json(const char *text)
{
    const char *end = skip_json(text, 0);
    return end && !end[strspn(end, " \n")];
}

static void check_output(const struct trial *trial, int *broken, const char *line,
                         const struct outcome *outcome)
{
    if (outcome->code == 0 && strstr(line, "-f json") && !strstr(line, "jsonl") &&
        strlen(outcome->output) < 65536 && !is_json(outcome->output))
        tell(trial, broken, line, "its output is not JSON", outcome->output);
    if (outcome->code >= 2 && !*outcome->errors)
        tell(trial, broken, line, "it fails without a message", "");
}

static void check_reader(const struct trial *trial, int *broken, const char *line,
                         const struct outcome *outcome, const struct verdict *verdict)
{
    bool refused = outcome->code >= 2 && is_refusal(outcome->errors);
    if (outcome->code < 0 || outcome->code > 3)
        return;
    if (refused && !verdict->refused)
        tell(trial, broken, line, "refused, but verify says ok", outcome->errors);
    if (!refused && verdict->refused && !verdict->timeline && outcome->code < 2)
        tell(trial, broken, line, "accepted, but verify refuses", outcome->errors);
    if (refused && !names_table(outcome->errors))
        tell(trial, broken, line, "refused without the name of the table", outcome->errors);
    check_output(trial, broken, line, outcome);
}

/* The commands that one file goes through, in one process. */
struct batch {
    const char *line[2 * READERS + 16];
    size_t count;
};

static void add_line(struct batch *batch, const char *line)
{
    batch->line[batch->count++] = line;
}

/* With what has to be there or not, and with what checks the files that it makes. */
static void add_reader(struct batch *batch, const char *line)
{
    bool merges = !strncmp(line, "merge", 5), points = !strncmp(line, "points", 6);
    if (merges)
        add_line(batch, "remove merged.h5");
    if (points)
        add_line(batch, "remove points.h5");
    add_line(batch, line);
    if (merges)
        add_line(batch, "status --verify merged.h5");
    if (points)
        add_line(batch, "status --verify points.h5");
}

static struct verdict judge(const struct trial *trial, int *broken, const char *line,
                            const struct outcome *outcome)
{
    struct verdict verdict = {.refused = outcome->code != 0,
                              .timeline = outcome->code == 1 && is_timeline_alone(outcome->output)};
    if (verdict.refused && outcome->code != 1 && outcome->code != 3)
        tell(trial, broken, line, "an exit code that is not documented", outcome->errors);
    if (trial->journal && outcome->code == 1)
        verdict.refused = false; /* a damaged journal loses rows, not the file */
    if (outcome->code == 3 && !names_table(outcome->errors))
        tell(trial, broken, line, "refused without the name of the table", outcome->errors);
    *(verdict.refused ? &checks_refused : &checks_accepted) += 1;
    if (trial->verbose && verdict.refused)
        printf("%s%s", outcome->output, outcome->errors);
    return verdict;
}

static void check_batch(const struct trial *trial, int *broken, const struct batch *batch,
                        const struct outcome *outcome, struct verdict *verdict)
{
    for (size_t i = 0; i < batch->count; i++) {
        const char *line = batch->line[i];
        see(trial, broken, line, &outcome[i]);
        if (i == 0)
            *verdict = judge(trial, broken, line, &outcome[i]);
        else if (strstr(line, "file.h5"))
            check_reader(trial, broken, line, &outcome[i], verdict);
        else if (!strncmp(line, VERIFY, strlen(VERIFY)) && outcome[i].code != 0 &&
                 (outcome[i - 1].code == 0 || outcome[i - 1].code == 1))
            tell(trial, broken, batch->line[i - 1], "made a file that verify refuses",
                 *outcome[i].errors ? outcome[i].errors : outcome[i].output);
    }
}

/* A refused file stays as it is; one that is finished can be read. */
static void check_resume(const struct trial *trial, int *broken, const struct verdict *verdict)
{
    const char *line = "run job.yaml -o file.h5 --resume --backend fake";
    uint64_t before = hash_file(trial->folder, "file.h5"),
             journal = hash_file(trial->folder, "file.h5.journal");
    struct outcome outcome = run(trial, broken, line, false);
    bool same = before == hash_file(trial->folder, "file.h5") &&
                journal == hash_file(trial->folder, "file.h5.journal");
    bool done = outcome.code == 0 || outcome.code == 1;
    if (!done && !same && outcome.code > 0)
        tell(trial, broken, line, "refused, but the file was changed", outcome.errors);
    if (done && verdict->refused && !trial->journal && !verdict->timeline)
        tell(trial, broken, line, "accepted, but verify refuses", outcome.errors);
    if (outcome.code >= 2 && is_refusal(outcome.errors) && !verdict->refused)
        tell(trial, broken, line, "refused, but verify says ok", outcome.errors);
    outcome_free(&outcome);
    if (done && !(same && verdict->timeline)) /* with nothing to do it is not written */
        expect_verified(trial, broken, line, "file.h5");
}

int checks_of_file(const struct trial *trial)
{
    int broken = 0;
    struct batch batch = {0};
    struct verdict verdict = {0};
    add_line(&batch, "status --verify file.h5");
    for (size_t i = 0; i < (trial->commands ? trial->commands : READERS) && i < READERS; i++)
        add_reader(&batch, trial->commands ? DICE_PICK(trial->dice, readers) : readers[i]);
    struct outcome *outcome = memory_new(batch.count, sizeof *outcome);
    run_forked_all(batch.line, batch.count, trial->folder, dice_one_in(trial->dice, 3), outcome);
    check_batch(trial, &broken, &batch, outcome, &verdict);
    for (size_t i = 0; i < batch.count; i++)
        outcome_free(&outcome[i]);
    free(outcome);
    if (trial->resumes && dice_one_in(trial->dice, trial->resumes))
        check_resume(trial, &broken, &verdict);
    return broken;
}

int checks_of_command(const struct trial *trial, const char *line)
{
    int broken = 0;
    bool leaks = strncmp(line, "run", 3) != 0; /* MPI and hwloc free less than they take */
    struct outcome outcome = run(trial, &broken, line, leaks && dice_one_in(trial->dice, 8));
    int code = broken ? -1 : outcome.code;
    if (outcome.code >= 2 && outcome.code <= 3 && !*outcome.errors)
        tell(trial, &broken, line, "it fails without a message", "");
    outcome_free(&outcome);
    return code;
}
