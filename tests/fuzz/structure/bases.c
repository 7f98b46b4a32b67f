#include "bases.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/program/cli.h"
#include "command.h"

static const char small_job[] =
    "timing: {max_time: 10ms, min_samples: 5, max_samples: 12, timeout: 20s}\n"
    "sweeps:\n"
    "- kernel: copy\n"
    "  axes: {variant: [load, memcpy], size: 1MiB, stride: [1, 2], dtype: [f32, u8], vector: [1, 4]}\n"
    "- kernel: transpose\n"
    "  axes: {rows: 1024, columns: [1024, 2048]}\n";
/* A message that is left out costs a point its time limit. */
static const char hasty_job[] =
    "timing: {max_time: 10ms, min_samples: 5, max_samples: 12, timeout: 300ms}\n"
    "sweeps:\n"
    "- kernel: copy\n"
    "  axes: {variant: [load, memcpy], size: 1MiB, stride: [1, 2], vector: [1, 4]}\n";
static const char first_half[] =
    "timing: {max_time: 10ms, min_samples: 5, max_samples: 12, timeout: 20s}\n"
    "sweeps:\n"
    "- kernel: copy\n"
    "  axes: {variant: [load, memcpy], size: 1MiB, stride: [1, 2], dtype: f32, vector: [1, 4]}\n";

static char root[256];

static void write_text(const char *folder, const char *name, const char *text, mode_t mode)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0 || chmod(path, mode) != 0)
        abort();
}

static bool expect(struct outcome outcome, const char *line)
{
    bool fine = outcome.code == 0;
    if (!fine)
        printf("warpsweep %s: exit code %d: %s\n%s\n", line, outcome.code, outcome.how, outcome.errors);
    outcome_free(&outcome);
    return fine;
}

static bool make_run(const struct base *base, const char *line)
{
    return expect(run_forked(line, base->folder, false), line);
}

/* Start a run whose fifth point hangs, and kill it when the journal has rows: a checkpoint would take them over. */
static bool make_killed(const struct base *base, bool resume)
{
    enum { HEAD_BYTES = 4096, ROWS_BYTES = 4000 };
    char path[400], *words[] = {(char[]){"warpsweep"}, (char[]){"run"},      (char[]){"job.yaml"},
                                (char[]){"-o"},        (char[]){"base.h5"},  (char[]){"--backend"},
                                (char[]){"fake"},      (char[]){"--resume"}, NULL};
    struct stat status = {0};
    snprintf(path, sizeof path, "%s/base.h5.journal", base->folder);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("WARPSWEEP_FAKE", "hang:after=4", 1);
        if (chdir(base->folder) != 0 || !freopen("run.log", "w", stderr))
            _exit(97);
        _exit(cli_main(resume ? 8 : 7, words));
    }
    off_t head = 0; /* what a journal starts with */
    for (int tries = 0; tries < 1000 && !(head && status.st_size > head + ROWS_BYTES); tries++) {
        usleep(10000);
        if (stat(path, &status) == 0 && !head && status.st_size > HEAD_BYTES)
            head = status.st_size;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    bool rows = head && stat(path, &status) == 0 && status.st_size > head;
    if (!rows)
        printf("a run that was killed left no rows in its journal: see %s\n", base->folder);
    return rows;
}

/* Keep rows of the most kinds, with their samples, of a file that is larger than fuzzing needs. */
static void trim(struct tables *tables)
{
    enum { COPIES = 14, OTHERS = 2, SPANS = 40 };
    struct table *results = tables_find(tables, "results"), *samples = tables_find(tables, "samples"),
                 *timeline = tables_find(tables, "timeline");
    struct table_column *kernel = table_find(results, "kernel"), *count = table_find(results, "sample_count"),
                        *offset = table_find(results, "sample_offset");
    size_t kept = 0, taken = 0;
    for (size_t row = 0; row < results->rows; row++) {
        const unsigned char *name = kernel->cell + row * kernel->size;
        size_t same = 0;
        for (size_t k = 0; k < kept; k++)
            same += !memcmp(kernel->cell + k * kernel->size, name, kernel->size);
        if (same >= (!memcmp(name, "copy", 4) ? COPIES : OTHERS))
            continue;
        int64_t from, length, at = (int64_t)taken;
        memcpy(&from, offset->cell + row * 8, 8);
        memcpy(&length, count->cell + row * 8, 8);
        for (int i = 0; i < samples->columns; i++) { /* a file has samples in the order of its rows */
            struct table_column *column = &samples->column[i];
            if (from > at)
                memmove(column->cell + taken * column->size, column->cell + (size_t)from * column->size,
                        (size_t)length * column->size);
        }
        taken += (size_t)length;
        for (int i = 0; i < results->columns; i++) {
            struct table_column *column = &results->column[i];
            memmove(column->cell + kept * column->size, column->cell + row * column->size, column->size);
        }
        memcpy(offset->cell + kept * 8, &at, 8);
        kept++;
    }
    table_resize(results, kept);
    table_resize(samples, taken);
    if (timeline && timeline->rows > SPANS)
        table_resize(timeline, SPANS);
}

/* A few points of a file of true results, with counters and predictions. */
static bool make_gpu(struct base *base, const char *source)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/analysis/data/h200-paper.h5", source);
    base->tables = tables_read(path);
    trim(&base->tables);
    snprintf(path, sizeof path, "%s/base.h5", base->folder);
    tables_write(&base->tables, path);
    return make_run(base, "status --verify base.h5");
}

static bool make_base(struct base *base, int which, const char *source)
{
    char path[400];
    snprintf(base->folder, sizeof base->folder, "%s/%d", root, which);
    mkdir(base->folder, 0755);
    write_text(base->folder, "job.yaml", which == BASE_KILLED ? first_half : small_job, 0644);
    write_text(base->folder, "hasty.yaml", hasty_job, 0644);
    base->resumable = which != BASE_GPU;
    base->alone = which == BASE_KILLED_ALONE;
    if (which == BASE_GPU)
        return make_gpu(base, source);
    if (which != BASE_KILLED_ALONE && !make_run(base, "run job.yaml -o base.h5 --backend fake"))
        return false;
    snprintf(path, sizeof path, "%s/base.h5", base->folder);
    if (which == BASE_RUN || which == BASE_KILLED)
        base->tables = tables_read(path);
    if (which == BASE_RUN)
        return true;
    write_text(base->folder, "job.yaml", small_job, 0644);
    if (!make_killed(base, which == BASE_KILLED))
        return false;
    snprintf(path, sizeof path, "%s/base.h5.journal", base->folder);
    base->journal = records_read(path);
    unlink(path);
    snprintf(path, sizeof path, "%s/base.h5", base->folder);
    if (base->alone)
        unlink(path);
    /* What the changed one is compared and merged with is of the same job. */
    return which == BASE_KILLED || make_run(base, "run job.yaml -o base.h5 --backend fake");
}

bool bases_make(struct base bases[BASES], const char *source)
{
    char path[400];
    snprintf(root, sizeof root, "%s/warpsweep-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(root))
        abort();
    snprintf(path, sizeof path, "%s/cache", root);
    setenv("WARPSWEEP_CACHE", path, 1);
    setenv("WARPSWEEP_CUPTI", "/nowhere",
           1); /* check alone asks it for names of counters: run would take what check refuses */
    memset(bases, 0, BASES * sizeof *bases);
    for (int i = 0; i < BASES; i++)
        if (!make_base(&bases[i], i, source))
            return false;
    return true;
}

void bases_free(struct base bases[BASES])
{
    char command[300];
    for (int i = 0; i < BASES; i++) {
        tables_free(&bases[i].tables);
        records_free(&bases[i].journal);
    }
    snprintf(command, sizeof command, "rm -rf %s", root);
    if (system(command) != 0)
        printf("%s stays\n", root);
}
