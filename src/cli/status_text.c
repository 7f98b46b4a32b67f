#include "cli/status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/store.h"

static void print_verdict(const struct verdict *verdict)
{
    char line[VERDICT_LINE_SIZE];
    printf("%s\n", verdict_is_good(verdict) ? "good" : "not good");
    for (size_t at = 0; (at = verdict_line(verdict, at, line)) != 0;)
        printf("  %s\n", line);
    if (!verdict_is_good(verdict))
        printf("next: %s\n", verdict_step_texts[verdict->step]);
}

static void print_run(const struct status_report *report)
{
    const struct journal_damage *damage = &report->dataset->journal_damage;
    const bool running = !strcmp(report->state, "running");
    char *journal = store_journal_path(report->path), age[64];
    text_format_seconds(report->written, age, sizeof age);
    if (isnan(report->written))
        printf("%s\n", report->dataset->running ? "the run has just ended" : "not running");
    else
        printf("%s; last journal write %s ago, rows: %zu\n",
               running ? "running" : "not running on this node: the run was killed, or is on another node",
               age, report->dataset->journal_rows);
    if (damage->places && !running)
        printf("the journal is corrupt in %d places, %zu bytes; at least %" PRIu64
               " rows are lost; --resume keeps it as %s.damaged\n",
               damage->places, damage->bytes, damage->rows, journal);
    free(journal);
}

static void print_state(const struct status_report *report)
{
    const struct verdict *verdict = &report->verdict;
    const struct dataset *dataset = report->dataset;
    const size_t devices = dataset->devices.rows;
    size_t failed = 0;
    char text[64];
    for (size_t i = 0; i < verdict->items; i++)
        failed += verdict->item[i].reason == REASON_failed ? verdict->item[i].count : 0;
    printf("%s: %zu of %zu points done", report->path, verdict->done, verdict->done + verdict->left);
    if (failed)
        printf(", %zu of them failed", failed);
    printf(", %zu left\n", verdict->left);
    if (*verdict->job.title)
        printf("%s\n", verdict->job.title);
    print_verdict(verdict);
    if (verdict->status[STATUS_UNAVAILABLE])
        printf("unavailable to the last launch: %zu points; each --resume asks again\n",
               verdict->status[STATUS_UNAVAILABLE]);
    if (verdict->share.of > 1)
        printf("share %u of %u of the job's %" PRIu64 " points\n", verdict->share.number, verdict->share.of,
               dataset->planned);
    for (int i = 0; i < dataset->environment_count; i++)
        if (!strcmp(dataset->environment[i].name, "shared"))
            printf("other programs computed on the device of %s\n", dataset->environment[i].value);
    print_run(report);
    if (!isnan(report->remaining)) {
        text_format_seconds(report->remaining, text, sizeof text);
        printf("about %s remaining on %zu device%s\n", text, devices, devices == 1 ? "" : "s");
    }
}

static void print_kernels(const struct status_report *report)
{
    printf("\n%-24s", "kernel");
    for (int s = 0; s < STATUS_COUNT; s++)
        printf(" %11s", status_words[s]);
    putchar('\n');
    for (int k = 0; k < report->kernels; k++) {
        printf("%-24s", report->kernel[k].name);
        for (int s = 0; s < STATUS_COUNT; s++)
            printf(" %11zu", report->kernel[k].points[s]);
        putchar('\n');
    }
}

static void print_devices(const struct status_report *report)
{
    const struct frame *devices = &report->dataset->devices;
    printf("\n%s\n", devices->rows ? "devices" : "no devices yet");
    for (size_t d = 0; d < devices->rows; d++) {
        const char *driver = frame_find_text(devices, d, DEVICE_COLUMN(driver));
        const char *host =
            frame_find_text(devices, d, DEVICE_COLUMN(host)); /* empty: predicted, or anonymous */
        const size_t rows = report->device_rows[d];
        printf("  %zu  %s, %s back end%s%s, driver %s: %zu row%s\n", d,
               frame_find_text(devices, d, DEVICE_COLUMN(name)),
               frame_find_text(devices, d, DEVICE_COLUMN(backend)), *host ? ", on " : "", host,
               *driver ? driver : "unknown", rows, rows == 1 ? "" : "s");
    }
}

static void print_failures(const struct status_report *report)
{
    const struct frame *results = &report->dataset->results;
    if (report->failures)
        printf("\nfailures\n");
    for (size_t i = 0; i < report->failures && i < STATUS_FAILURES_SHOWN; i++) {
        const size_t row = report->failure[i];
        printf("  %s %s: %s\n", frame_find_text(results, row, COLUMN(id)),
               status_words[dataset_status(report->dataset, row)],
               frame_find_text(results, row, COLUMN(message)));
    }
    if (report->failures <= STATUS_FAILURES_SHOWN)
        return;
    struct text path = {0};
    text_add_quoted(&path, report->path);
    printf("  ... more: warpsweep table %s -w status=failed,crashed,timed_out -c all\n", path.data);
    text_free(&path);
}

void status_print_text(const struct status_report *report)
{
    print_state(report);
    print_kernels(report);
    print_devices(report);
    print_failures(report);
}
