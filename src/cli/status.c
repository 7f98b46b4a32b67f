/* status - points done, failed and missing; also during a run. */
#include "cli/command.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/memory.h"
#include "cli/status.h"
#include "store/store.h"

static const char *const formats[] = {"text", "json", NULL};

static const struct command_option options[] = {
    {"format", 'f', "FORMAT", "text", formats, "text, or json for scripts"},
    {"verify", 0, NULL, NULL, NULL, "check every table against its checksum, and the journal, instead"},
    OPTION_HELP,
};

/* ---- Collecting ---- */

static struct status_kernel *find_kernel(struct status_report *report, const char *name)
{
    for (int i = 0; i < report->kernels; i++)
        if (!strcmp(report->kernel[i].name, name))
            return &report->kernel[i];
    report->kernel = memory_resize(report->kernel, (size_t)report->kernels + 1, sizeof *report->kernel);
    report->kernel[report->kernels] = (struct status_kernel){.name = name};
    return &report->kernel[report->kernels++];
}

/* Rows of kernels and devices. What is left takes as long as what was measured, one process each; only a
 * point's first process compiles and verifies. */
static void count_rows(struct status_report *report)
{
    const struct dataset *dataset = report->dataset;
    const struct frame *results = &dataset->results;
    const struct verdict *verdict = &report->verdict;
    double seconds = 0, once = 0; /* of rows with a time; of them those of compiling and verifying */
    size_t timed = 0;
    for (size_t row = 0; row < results->rows; row++) {
        int64_t device = dataset_device_of(dataset, row);
        double total = frame_find_real(results, row, COLUMN(seconds_total));
        if (device >= 0)
            report->device_rows[device]++;
        if (device >= 0 && isfinite(total)) {
            timed++;
            seconds += total;
            once += fmax(0, frame_find_real(results, row, COLUMN(seconds_compile))) +
                    fmax(0, frame_find_real(results, row, COLUMN(seconds_verify)));
        }
        const enum status status = dataset_status(dataset, row);
        if (dataset_is_point(dataset, row))
            find_kernel(report, frame_find_text(results, row, COLUMN(kernel)))->points[status]++;
        if (status_is_bad(status) && report->failures++ < STATUS_FAILURES_SHOWN)
            report->failure[report->failures - 1] = row;
    }
    report->remaining = NAN;
    if (verdict->lacking > 0 && timed && dataset->devices.rows)
        report->remaining = (verdict->lacking * (seconds - once) + (double)verdict->missing * once) /
                            (double)(timed * dataset->devices.rows);
}

static void look_at_journal(struct status_report *report)
{
    char *journal = store_journal_path(report->path);
    struct stat file;
    report->written = NAN;
    report->state = report->dataset->cut_off ? "not_closed" : "closed";
    if (report->dataset->running && stat(journal, &file) == 0) {
        report->written = fmax(0, difftime(time(NULL), file.st_mtime));
        report->state = report->dataset->writer ? "running" : "not_closed";
    }
    free(journal);
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
    const char *state = found.missing ? "types, indices and lengths ok; some tables have no checksum" : "ok";
    printf("%s: %s\n", path, damaged ? "CORRUPT" : state);
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
    if (options_given(arguments, "verify"))
        return verify(path, error);
    if (dataset_read(path, &dataset, error) != 0)
        return -1;
    struct status_report report = {.path = path, .dataset = &dataset, .verdict = verdict_of(&dataset)};
    report.device_rows = memory_new(dataset.devices.rows + 1, sizeof *report.device_rows);
    count_rows(&report);
    look_at_journal(&report);
    if (!strcmp(options_text(arguments, "format"), "json"))
        status_print_json(&report);
    else
        status_print_text(&report);
    int code = verdict_is_good(&report.verdict) ? EXIT_FINE : EXIT_POINTS;
    verdict_free(&report.verdict);
    free(report.device_rows);
    free(report.kernel);
    dataset_free(&dataset);
    return code;
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
        "Then it says whether the file is good: everything that was asked for is in it. -f json prints all\n"
        "of this as one object, for scripts.\n"
        "\n"
        "All commands check what they read, and stop at the first damage; --verify lists all tables. Files\n"
        "of releases before 0.3 have no checksums.\n"
        "\n"
        "Exit code: 0 if the file is good, 1 if not, as that of the run that wrote it. With --verify 0 if\n"
        "all is correct, 1 if a checksum is wrong or the journal is corrupt, 3 if it is not a results "
        "file.\n",
    .examples = "  warpsweep status results.h5\n"
                "  warpsweep status results.h5 -f json\n"
                "  warpsweep status --verify results.h5\n",
    .options = options,
    .run = run,
};
