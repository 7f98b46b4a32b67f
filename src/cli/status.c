/* status - points done, failed and missing; also during a run. */
#include "cli/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "plan/grid.h"
#include "store/store.h"
#include "table/table.h"

static const struct command_option options[] = {
    {"verify", 0, NULL, NULL, NULL, "check every table against its checksum, and the journal, instead"},
    OPTION_HELP,
};

#define MESSAGES_SHOWN 5

struct kernel_status {
    const char *name;
    size_t points[STATUS_COUNT];
};

struct summary {
    struct kernel_status *kernel; /* owned */
    int kernels;
    size_t done;         /* points with all their processes and counters */
    size_t failures;     /* of them neither ok nor unsupported */
    size_t left;         /* other points of the job, or of the file's share of it */
    uint32_t replicates; /* processes per point of the job; 0: a device may lack any number */
    size_t partial;      /* of those left: measured, by fewer processes */
    size_t uncounted;    /* of those left: measured, by enough processes, but not counted */
    double seconds;      /* of the worker, one process each, of `timed` rows */
    double once;         /* of them those of compiling and verifying, which a point's first process does */
    size_t timed;
    size_t missing; /* points that the file lacks */
    double lacking; /* processes that are left, theirs too */
    struct share share;
};

static struct kernel_status *find_kernel(struct summary *summary, const char *name)
{
    for (int i = 0; i < summary->kernels; i++)
        if (!strcmp(summary->kernel[i].name, name))
            return &summary->kernel[i];
    summary->kernel = memory_resize(summary->kernel, (size_t)summary->kernels + 1, sizeof *summary->kernel);
    summary->kernel[summary->kernels] = (struct kernel_status){.name = name};
    return &summary->kernel[summary->kernels++];
}

/* Does `run --resume` add processes or counters to the point? */
static bool is_unfinished(const struct frame *results, size_t row, struct summary *summary)
{
    const double processes = frame_find_real(results, row, COLUMN(processes));
    const bool partial = processes >= 1 && processes < summary->replicates,
               pending = !partial && !strcmp(frame_find_text(results, row, COLUMN(counters_status)),
                                             counters_words[COUNTERS_PENDING]);
    summary->partial += partial;
    summary->lacking += partial ? summary->replicates - processes : 0;
    summary->uncounted += pending;
    return partial || pending;
}

static void count_rows(const struct dataset *dataset, struct summary *summary)
{
    const struct frame *results = &dataset->results;
    for (size_t row = 0; row < results->rows; row++) {
        const double seconds = frame_find_real(results, row, COLUMN(seconds_total));
        if (dataset_device_of(dataset, row) >= 0 && isfinite(seconds)) {
            summary->timed++;
            summary->seconds += seconds;
            summary->once += fmax(0, frame_find_real(results, row, COLUMN(seconds_compile))) +
                             fmax(0, frame_find_real(results, row, COLUMN(seconds_verify)));
        }
        if (!dataset_is_point(dataset, row))
            continue;
        enum status status = row_status(results, row);
        find_kernel(summary, frame_find_text(results, row, COLUMN(kernel)))->points[status]++;
        if (status == STATUS_OK && is_unfinished(results, row, summary))
            continue;
        summary->done++;
        summary->failures += status_is_bad(status);
    }
}

/* Count what is done and left of the number of points that the file has of its job. */
static void count(const struct dataset *dataset, const struct job_outline *job, struct summary *summary)
{
    const char *share = dataset_environment(dataset, "share");
    if (share)
        share_parse(share, &summary->share);
    summary->replicates =
        job->all_devices ? 0 : job->replicates; /* the device that lacks some may be absent */
    count_rows(dataset, summary);
    size_t begun = summary->done + summary->partial + summary->uncounted,
           planned = share_count(&summary->share, dataset->planned);
    summary->missing = planned > begun ? planned - begun : 0;
    summary->left = summary->missing + summary->partial + summary->uncounted;
    summary->lacking += (double)summary->missing * job->replicates;
}

static void print_running(const char *path, const struct dataset *dataset)
{
    const struct journal_damage *damage = &dataset->journal_damage;
    char *journal = store_journal_path(path), age[64];
    struct stat file;
    if (!dataset->running) {
        printf("not running\n");
    } else if (stat(journal, &file) == 0) {
        text_format_seconds(fmax(0, difftime(time(NULL), file.st_mtime)), age, sizeof age);
        printf("%s; last journal write %s ago, rows: %zu\n",
               dataset->writer ? "running"
                               : "not running on this node: the run was killed, or is on another node",
               age, dataset->journal_rows);
    } else {
        printf("the run has just ended\n");
    }
    if (damage->places && !dataset->writer)
        printf("the journal is corrupt in %d places, %zu bytes; at least %" PRIu64
               " rows are lost; --resume keeps it as %s.damaged\n",
               damage->places, damage->bytes, damage->rows, journal);
    free(journal);
}

static void print_state(const char *path, const struct dataset *dataset, const char *title,
                        const struct summary *summary)
{
    const size_t devices = dataset->devices.rows;
    char text[64];
    printf("%s: %zu of %zu points done", path, summary->done, summary->done + summary->left);
    if (summary->failures)
        printf(", %zu of them failed", summary->failures);
    printf(", %zu left\n", summary->left); /* slurm/warpsweep.sbatch reads this line */
    if (*title)
        printf("%s\n", title);
    if (summary->partial)
        printf("of those left, %zu lack processes: fewer than %u have measured them\n", summary->partial,
               summary->replicates);
    if (summary->uncounted)
        printf("of those left, %zu lack counters\n", summary->uncounted);
    if (summary->share.of > 1)
        printf("share %u of %u of the job's %" PRIu64 " points\n", summary->share.number, summary->share.of,
               dataset->planned);
    for (int i = 0; i < dataset->environment_count; i++)
        if (!strcmp(dataset->environment[i].name, "shared"))
            printf("other programs computed on the device of %s\n", dataset->environment[i].value);
    print_running(path, dataset);
    if (summary->lacking > 0 && summary->timed && devices) {
        double all =
            summary->lacking * (summary->seconds - summary->once) + (double)summary->missing * summary->once;
        text_format_seconds(all / (double)(summary->timed * devices), text, sizeof text);
        printf("about %s remaining on %zu device%s\n", text, devices, devices == 1 ? "" : "s");
    }
}

static void print_kernels(const struct summary *summary)
{
    printf("\n%-24s", "kernel");
    for (int s = 0; s < STATUS_COUNT; s++)
        printf(" %11s", status_words[s]);
    putchar('\n');
    for (int k = 0; k < summary->kernels; k++) {
        printf("%-24s", summary->kernel[k].name);
        for (int s = 0; s < STATUS_COUNT; s++)
            printf(" %11zu", summary->kernel[k].points[s]);
        putchar('\n');
    }
}

static void print_devices(const struct dataset *dataset)
{
    const struct frame *devices = &dataset->devices;
    size_t *rows = memory_new(devices->rows + 1, sizeof *rows);
    for (size_t row = 0; row < dataset->results.rows; row++)
        if (dataset_device_of(dataset, row) >= 0)
            rows[dataset_device_of(dataset, row)]++;
    printf("\n%s\n", devices->rows ? "devices" : "no devices yet");
    for (size_t d = 0; d < devices->rows; d++) {
        const char *driver = frame_find_text(devices, d, DEVICE_COLUMN(driver));
        printf("  %zu  %s, %s back end, on %s, driver %s: %zu rows\n", d,
               frame_find_text(devices, d, DEVICE_COLUMN(name)),
               frame_find_text(devices, d, DEVICE_COLUMN(backend)),
               frame_find_text(devices, d, DEVICE_COLUMN(host)), *driver ? driver : "unknown", rows[d]);
    }
    free(rows);
}

static void print_failures(const struct dataset *dataset, const struct summary *summary)
{
    const struct frame *results = &dataset->results;
    size_t failed = 0;
    if (summary->failures)
        printf("\nfailures\n");
    for (size_t row = 0; row < results->rows && summary->failures; row++) {
        enum status status = row_status(results, row);
        if (status_is_bad(status) && failed++ < MESSAGES_SHOWN)
            printf("  %s %s: %s\n", frame_find_text(results, row, COLUMN(id)), status_words[status],
                   frame_find_text(results, row, COLUMN(message)));
    }
    if (failed > MESSAGES_SHOWN)
        printf("  ... more: warpsweep table FILE.h5 -w status=failed,crashed,timed_out -c all\n");
}

/* ---- --verify: types, indices, lengths and checksums of all tables, and the state of the journal ---- */

static int verify(const char *path, struct error *error)
{
    static const char *const words[] = {"checksum ok", "CHECKSUM WRONG", "no checksum", "CHECKSUM MISSING"};
    struct dataset dataset;
    struct store_verification found;
    const struct journal_damage *damage = &dataset.journal_damage;
    if (dataset_verify(path, &found, &dataset, error) != 0)
        return -1;
    bool damaged = found.wrong || dataset.lost_timeline || (damage->places && !dataset.writer);
    printf("%s: %s\n", path,
           damaged         ? "CORRUPT"
           : found.missing ? "types, indices and lengths ok; some tables have no checksum"
                           : "ok");
    for (int i = 0; i < found.tables; i++)
        printf("  /%-12s %10zu rows  %s\n", found.table[i].name, found.table[i].rows,
               words[found.table[i].checksum]);
    if (dataset.lost_timeline)
        printf("  /timeline     DAMAGED, other tables are read without it: %s\n", dataset.lost_timeline);
    if (dataset.running)
        printf("  journal       %10zu rows  ", dataset.journal_rows);
    if (dataset.running && damage->places)
        printf("CORRUPT in %d places, %zu bytes; at least %" PRIu64 " rows lost\n", damage->places,
               damage->bytes, damage->rows);
    else if (dataset.running)
        printf("all records ok%s\n", dataset.writer ? "; a run is writing it" : "");
    dataset_free(&dataset);
    return damaged ? EXIT_POINTS : EXIT_FINE;
}

static int run(const struct arguments *arguments, struct error *error)
{
    const char *path = arguments->operand[0];
    struct dataset dataset;
    struct summary summary = {0};
    if (options_given(arguments, "verify"))
        return verify(path, error);
    if (dataset_read(path, &dataset, error) != 0)
        return -1;
    const struct job_outline job = job_outline(dataset.job, dataset_environment(&dataset, "pairs") != NULL);
    count(&dataset, &job, &summary);
    print_state(path, &dataset, job.title, &summary);
    print_kernels(&summary);
    print_devices(&dataset);
    print_failures(&dataset, &summary);
    free(summary.kernel);
    dataset_free(&dataset);
    return summary.failures || summary.left ? EXIT_POINTS : EXIT_FINE;
}

const struct command command_status = {
    .name = "status",
    .operands = "FILE.h5",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "points done, failed and left in a results file; also during a run",
    .details =
        "Reads the file and its journal, also while a run is writing: watch warpsweep status FILE.h5\n"
        "follows it. A point is left until all its processes have measured it and its counters are read.\n"
        "\n"
        "All commands check what they read, and stop at the first damage; --verify lists all tables. Files\n"
        "of releases before 0.3 have no checksums.\n"
        "\n"
        "Exit code: 0 if all points are ok or unsupported, 1 if some failed or are left. With --verify 0\n"
        "if all is correct, 1 if a checksum is wrong or the journal is corrupt, 3 if it is not a results\n"
        "file.\n",
    .examples = "  warpsweep status results.h5\n"
                "  warpsweep status --verify results.h5\n",
    .options = options,
    .run = run,
};
