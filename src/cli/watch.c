#include "cli/watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/terminal.h"
#include "base/text.h"
#include "output/tone.h"
#include "plan/job.h"
#include "plan/share.h"
#include "store/store.h"

#define BAR_WIDTH 30
#define READING_SHARE                                                                                        \
    10 /* the interval is at least this many times the time of reading: large files are read seldom */
#define DEAD_SECONDS 60.0 /* a journal without a writer on this node is dead after this long without growth */

struct device_progress {
    char name[64], host[64];
    size_t measured, failed; /* measurements: points times the processes that measured them */
};

/* Progress at one time. */
struct snapshot {
    struct device_progress *device; /* owned */
    size_t devices, points, failed, unsupported, measured;
    size_t planned, wanted; /* points; measurements of all of them */
    bool running;
    double at; /* s, of base/clock.h */
};

static void snapshot_free(struct snapshot *now)
{
    free(now->device);
    *now = (struct snapshot){0};
}

/* ---- Reading ---- */

static void count_row(const struct dataset *file, size_t row, uint32_t replicates, struct snapshot *now)
{
    const struct frame *results = &file->results;
    const char *status = frame_find_text(results, row, COLUMN(status));
    int64_t device = frame_cell(results, row, frame_find(results, COLUMN(device)))->integer;
    double processes = frame_find_real(results, row, COLUMN(processes));
    if (frame_cell(results, row, frame_find(results, COLUMN(repeat)))->integer != 0)
        return;
    now->points++;
    if (!strcmp(status, status_words[STATUS_UNSUPPORTED])) {
        now->unsupported++;
        return;
    }
    bool bad = !status_is_ok(status);
    size_t measured = bad ? replicates : processes >= 1 ? (size_t)processes : 1;
    now->failed += bad;
    now->measured += measured;
    if (device >= 0 && (size_t)device < now->devices) {
        now->device[device].measured += measured;
        now->device[device].failed += bad;
    }
}

static bool is_alive(const char *path, const struct dataset *file)
{
    struct stat status;
    if (!file->running || file->writer)
        return file->running;
    char *journal = store_journal_path(path);
    bool fresh = stat(journal, &status) == 0 && difftime(time(NULL), status.st_mtime) < DEAD_SECONDS;
    free(journal);
    return fresh;
}

static int take_snapshot(const char *path, struct snapshot *now, struct error *error)
{
    struct dataset file;
    struct share share = {1, 1};
    *now = (struct snapshot){0};
    if (dataset_read_columns(path, false, &file, error) != 0)
        return -1;
    const char *text = dataset_environment(&file, "share");
    if (text)
        share_parse(text, &share);
    bool all_devices;
    uint32_t replicates = job_replicates(file.job, dataset_environment(&file, "pairs") != NULL, &all_devices);
    now->devices = file.devices.rows;
    now->device = memory_new(now->devices + 1, sizeof *now->device);
    for (size_t d = 0; d < now->devices; d++) {
        snprintf(now->device[d].name, sizeof now->device[d].name, "%s",
                 frame_find_text(&file.devices, d, DEVICE_COLUMN(name)));
        snprintf(now->device[d].host, sizeof now->device[d].host, "%s",
                 frame_find_text(&file.devices, d, DEVICE_COLUMN(host)));
    }
    for (size_t row = 0; row < file.results.rows; row++)
        count_row(&file, row, replicates, now);
    now->planned = share_count(&share, file.planned);
    now->wanted = (now->planned > now->unsupported ? now->planned - now->unsupported : 0) * replicates;
    now->running = is_alive(path, &file);
    now->at = clock_now();
    dataset_free(&file);
    return 0;
}

/* ---- Showing ---- */

/* "120 of 224 points, 2 failed; 360 of 672 measurements, 5.2/s, 20s left" */
static void describe(const struct snapshot *now, const struct snapshot *before, char *out, size_t size)
{
    char failed[48] = "", pace[96] = "", left[32];
    double rate =
        before->at > 0 ? ((double)now->measured - (double)before->measured) / (now->at - before->at) : NAN;
    if (now->failed)
        snprintf(failed, sizeof failed, ", %zu failed", now->failed);
    if (rate > 0 && now->wanted > now->measured) {
        text_format_seconds((double)(now->wanted - now->measured) / rate, left, sizeof left);
        snprintf(pace, sizeof pace, ", %.3g/s, %s left", rate, left);
    }
    snprintf(out, size, "%zu of %zu points%s; %zu of %zu measurements%s", now->points, now->planned, failed,
             now->measured, now->wanted, pace);
}

/* A full bar is an equal share of all measurements. */
static void draw_device(const struct snapshot *now, const struct snapshot *before, size_t d, bool colours)
{
    const struct device_progress *device = &now->device[d];
    char bar[BAR_WIDTH + 1];
    double even = (double)now->wanted / (double)now->devices;
    double filled = even > 0 ? fmin(1, (double)device->measured / even) : 1;
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)(filled * BAR_WIDTH));
    bar[BAR_WIDTH] = '\0';
    printf("%3zu [%s%s%s] %6zu", d, tone_begin(TONE_GOOD, colours), bar, tone_end(TONE_GOOD, colours),
           device->measured);
    if (d < before->devices)
        printf("  %6.3g/s",
               ((double)device->measured - (double)before->device[d].measured) / (now->at - before->at));
    printf("  %s on %s", device->name, device->host);
    if (device->failed)
        printf(", %s%zu failed%s", tone_begin(TONE_BAD, colours), device->failed,
               tone_end(TONE_BAD, colours));
    putchar('\n');
}

static void draw(const char *path, const struct snapshot *now, const struct snapshot *before)
{
    char text[256];
    bool colours = terminal_colours(STDOUT_FILENO);
    if (before->at > 0)
        printf("\033[%zuA\033[J", before->devices + 1);
    describe(now, before, text, sizeof text);
    printf("%s: %s\n", path, text);
    for (size_t d = 0; d < now->devices; d++)
        draw_device(now, before, d, colours);
}

static void print_line(const struct snapshot *now, const struct snapshot *before)
{
    char text[256], clock[16];
    time_t seconds = time(NULL);
    struct tm local;
    if (before->at > 0 && now->measured == before->measured && now->points == before->points)
        return;
    strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&seconds, &local));
    describe(now, before, text, sizeof text);
    printf("%s %s", clock, text);
    for (size_t d = 0; d < now->devices; d++)
        printf("%s%zu: %zu", d ? ", " : "; by device ", d, now->device[d].measured);
    putchar('\n');
}

static void wait_seconds(double seconds)
{
    struct timespec pause = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&pause, NULL);
}

int watch_run(const char *path, double every, struct error *error)
{
    struct snapshot before = {0}, now;
    bool redraws = terminal_redraws(STDOUT_FILENO), running;
    do {
        double start = clock_now();
        if (take_snapshot(path, &now, error) != 0) {
            snapshot_free(&before);
            return -1;
        }
        if (redraws)
            draw(path, &now, &before);
        else
            print_line(&now, &before);
        if (fflush(stdout) != 0)
            now.running = false; /* the reader has closed stdout */
        running = now.running;
        snapshot_free(&before);
        before = now;
        if (running)
            wait_seconds(fmax(every, READING_SHARE * (clock_now() - start)));
    } while (running);
    snapshot_free(&before);
    return 0;
}
