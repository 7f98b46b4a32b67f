#include "texts.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "command.h"

const char *const text_kinds[TEXT_KINDS] = {"job", "profile", "code", "claims"};

/* Where good ones are, and what reads them: the first line refuses what is bad, and the others then refuse it, too. */
static const struct {
    const char *patterns[2], *lines[5];
} kinds[TEXT_KINDS] = {
    {{"tests/golden/good/*.yaml", "jobs/*.yaml"},
     {"check file.yaml", "check file.yaml --points", "run file.yaml --print-job",
      "run file.yaml --dry-run --backend fake"}},
    {{"profiles/*.yaml"},
     {"points job.yaml --profile ./file.yaml -o points.h5", "check job.yaml --profile ./file.yaml"}},
    {{NULL}, {"code_list file.yaml"}},
    {{"kernels/*/*.claims"}, {"claims file.yaml"}},
};

/* copy has nine compiled axes. */
static const char code[] =
    "# of another compiler\n"
    "variant=load dtype=f32 vector=4 | sm_90 | code.cubin | entry=copy shared=1024 threads=256\n"
    "variant=load dtype=f32 vector=1 | sm_90a | code.cubin | threads=128\n"
    "variant=store dtype=f16 | compute_80 | code.ptx | entry=copy\n"
    "variant=load stride=2 hint=stream | sm_80 | code.cubin\n";

char *texts_choose(int kind, struct dice *dice, const char *source)
{
    glob_t found = {0};
    char *text = NULL;
    for (int i = 0; i < 2 && kinds[kind].patterns[i]; i++) {
        char pattern[4200];
        snprintf(pattern, sizeof pattern, "%s/%s", source, kinds[kind].patterns[i]);
        glob(pattern, i ? GLOB_APPEND : 0, NULL, &found);
    }
    if (found.gl_pathc) {
        struct error error;
        size_t size;
        text = io_read_file(found.gl_pathv[dice_below(dice, found.gl_pathc)], 1 << 20, &size, &error);
    }
    globfree(&found);
    return text ? text : memory_text(code);
}

static void write_file(const struct trial *trial, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", trial->folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

static void tell(const struct trial *trial, const char *line, const char *what, const char *printed)
{
    trial->tell(trial->context, line, what, printed);
}

static void expect_verified(const struct trial *trial, const char *line, const char *file)
{
    char path[512], verify[64];
    snprintf(path, sizeof path, "%s/%s", trial->folder, file);
    snprintf(verify, sizeof verify, "status --verify %s", file);
    if (access(path, F_OK) == 0 && checks_of_command(trial, verify) != 0)
        tell(trial, line, "made a file that verify refuses", "");
    unlink(path);
}

/* What --print-job prints is a job with the same points. */
static void check_printed(const struct trial *trial)
{
    struct outcome printed = run_forked("run file.yaml --print-job", trial->folder, false);
    if (printed.code == 0 && strlen(printed.output) < 60000) {
        write_file(trial, "printed.yaml", printed.output);
        struct outcome first = run_forked("check file.yaml --points", trial->folder, false),
                       again = run_forked("check printed.yaml --points", trial->folder, false);
        if (again.code != first.code)
            tell(trial, "check printed.yaml", "--print-job printed a job with another outcome", again.errors);
        outcome_free(&first);
        outcome_free(&again);
    }
    outcome_free(&printed);
}

static void try_job(const struct trial *trial)
{
    struct outcome outcome = run_forked("check file.yaml", trial->folder, false);
    size_t points = strtoul(outcome.output, NULL, 10);
    const char *found = strstr(outcome.output, " point");
    while (found && found > outcome.output && found[-1] >= '0' && found[-1] <= '9')
        found--;
    points = found ? strtoul(found, NULL, 10) : points;
    bool small = outcome.code == 0 && points && points < 200;
    outcome_free(&outcome);
    check_printed(trial);
    if (!small)
        return;
    const char *count = "points file.yaml --profile b200 -o points.h5";
    checks_of_command(trial, count);
    expect_verified(trial, count, "points.h5");
    if (points < 40 && dice_one_in(trial->dice, 8)) {
        const char *run = "run file.yaml -o ran.h5 --backend fake --time-limit 2s";
        checks_of_command(trial, run);
        expect_verified(trial, run, "ran.h5");
    }
}

void texts_try(int kind, const char *text, const struct trial *trial)
{
    write_file(trial, "file.yaml", text);
    write_file(trial, "code.cubin",
               "\x7f"
               "ELF, not really");
    write_file(trial, "code.ptx", ".version 8.0\n.target sm_80\n");
    int first = 0;
    for (int i = 0; kinds[kind].lines[i]; i++) {
        const char *line = kinds[kind].lines[i];
        int done = checks_of_command(trial, line);
        if (i == 0)
            first = done;
        else if (done >= 0 && first >= 0 && (done >= 2) != (first >= 2))
            tell(trial, line,
                 first >= 2 ? "accepted, but the first command refuses"
                            : "refused, but the first command does not",
                 "");
        if (!strncmp(line, "points", 6))
            expect_verified(trial, line, "points.h5");
    }
    if (kind == 0)
        try_job(trial);
    *(first >= 2 ? &checks_refused : &checks_accepted) += 1;
}
