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
#include "plan/job.h"
#include "plan/share.h"
#include "store/store.h"

#define BAR_WIDTH     30
#define READING_SHARE 10 /* between two looks, times what one takes: a large file is read seldom */
#define DEAD_SECONDS                                                                                         \
    60.0 /* a journal that nobody holds here, and that has not grown for so long, is of no run */

struct device_progress {
    char name[64], host[64];
    size_t measured, failed; /* measurements: points times the processes that measured them */
};

/* What one look has found. */
struct look {
    struct device_progress *device; /* owned */
    size_t devices, points, failed, unsupported, measured;
    size_t planned, wanted; /* points; measurements of all of them */
    bool running;
    double at; /* s, of base/clock.h */
};

static void look_free(struct look *look)
{
    free(look->device);
    *look = (struct look){0};
}

/* ---- Looking ---- */

/* How many processes are to measure each point, as far as the job can be read here. */
static uint32_t replicates_of(const struct dataset *file)
{
    struct job job;
    struct error ignored;
    uint32_t replicates = 1;
    if (job_parse(file->job_path, file->job, strlen(file->job), &job, &ignored) == 0) {
        replicates = job.timing.replicates;
        job_free(&job);
    }
    return replicates;
}

static void look_at_row(const struct dataset *file, size_t row, uint32_t replicates, struct look *look)
{
    const struct frame *results = &file->results;
    const char *status = frame_find_text(results, row, COLUMN(status));
    int64_t device = frame_row(results, row)[frame_find(results, COLUMN(device))].integer;
    double processes = frame_find_real(results, row, COLUMN(processes));
    if (frame_row(results, row)[frame_find(results, COLUMN(repeat))].integer != 0)
        return;
    look->points++;
    if (!strcmp(status, status_words[STATUS_UNSUPPORTED])) {
        look->unsupported++;
        return;
    }
    bool bad = !status_is_ok(status);
    size_t measured = bad ? replicates : processes >= 1 ? (size_t)processes : 1;
    look->failed += bad;
    look->measured += measured;
    if (device >= 0 && (size_t)device < look->devices) {
        look->device[device].measured += measured;
        look->device[device].failed += bad;
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

static int take_look(const char *path, struct look *look, struct error *error)
{
    struct dataset file;
    struct share share = {1, 1};
    *look = (struct look){0};
    if (dataset_read(path, &file, error) != 0)
        return -1;
    const char *text = dataset_environment(&file, "share");
    if (text)
        share_parse(text, &share);
    uint32_t replicates = replicates_of(&file);
    look->devices = file.devices.rows;
    look->device = memory_new(look->devices + 1, sizeof *look->device);
    for (size_t d = 0; d < look->devices; d++) {
        snprintf(look->device[d].name, sizeof look->device[d].name, "%s",
                 frame_find_text(&file.devices, d, DEVICE_COLUMN(name)));
        snprintf(look->device[d].host, sizeof look->device[d].host, "%s",
                 frame_find_text(&file.devices, d, DEVICE_COLUMN(host)));
    }
    for (size_t row = 0; row < file.results.rows; row++)
        look_at_row(&file, row, replicates, look);
    look->planned = share_count(&share, file.planned);
    look->wanted = (look->planned > look->unsupported ? look->planned - look->unsupported : 0) * replicates;
    look->running = is_alive(path, &file);
    look->at = clock_now();
    dataset_free(&file);
    return 0;
}

/* ---- Showing ---- */

/* "120 of 224 points, 2 failed; 360 of 672 measurements, 5.2/s, 20s left" */
static void describe(const struct look *look, const struct look *before, char *out, size_t size)
{
    char failed[48] = "", pace[96] = "", left[32];
    double rate =
        before->at > 0 ? ((double)look->measured - (double)before->measured) / (look->at - before->at) : NAN;
    if (look->failed)
        snprintf(failed, sizeof failed, ", %zu failed", look->failed);
    if (rate > 0 && look->wanted > look->measured) {
        text_format_seconds((double)(look->wanted - look->measured) / rate, left, sizeof left);
        snprintf(pace, sizeof pace, ", %.3g/s, %s left", rate, left);
    }
    snprintf(out, size, "%zu of %zu points%s; %zu of %zu measurements%s", look->points, look->planned, failed,
             look->measured, look->wanted, pace);
}

/* A full bar is an even share of all measurements. */
static void draw_device(const struct look *look, const struct look *before, size_t d, bool colours)
{
    const struct device_progress *device = &look->device[d];
    char bar[BAR_WIDTH + 1];
    double even = (double)look->wanted / (double)look->devices;
    double filled = even > 0 ? fmin(1, (double)device->measured / even) : 1;
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)(filled * BAR_WIDTH));
    bar[BAR_WIDTH] = '\0';
    printf("%3zu [%s%s%s] %6zu", d, colours ? "\033[32m" : "", bar, colours ? "\033[0m" : "",
           device->measured);
    if (d < before->devices)
        printf("  %6.3g/s",
               ((double)device->measured - (double)before->device[d].measured) / (look->at - before->at));
    printf("  %s on %s", device->name, device->host);
    if (device->failed)
        printf(", %s%zu failed%s", colours ? "\033[31m" : "", device->failed, colours ? "\033[0m" : "");
    putchar('\n');
}

static void draw(const char *path, const struct look *look, const struct look *before)
{
    char text[256];
    bool colours = terminal_colours(STDOUT_FILENO);
    if (before->at > 0)
        printf("\033[%zuA\033[J", before->devices + 1);
    describe(look, before, text, sizeof text);
    printf("%s: %s\n", path, text);
    for (size_t d = 0; d < look->devices; d++)
        draw_device(look, before, d, colours);
}

static void print_line(const struct look *look, const struct look *before)
{
    char text[256], clock[16];
    time_t now = time(NULL);
    struct tm local;
    if (before->at > 0 && look->measured == before->measured && look->points == before->points)
        return;
    strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&now, &local));
    describe(look, before, text, sizeof text);
    printf("%s %s", clock, text);
    for (size_t d = 0; d < look->devices; d++)
        printf("%s%zu: %zu", d ? ", " : "; by device ", d, look->device[d].measured);
    putchar('\n');
}

static void wait_seconds(double seconds)
{
    struct timespec pause = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&pause, NULL);
}

int watch_run(const char *path, double every, struct error *error)
{
    struct look before = {0}, look;
    bool redraws = terminal_redraws(STDOUT_FILENO), running;
    do {
        double start = clock_now();
        if (take_look(path, &look, error) != 0) {
            look_free(&before);
            return -1;
        }
        if (redraws)
            draw(path, &look, &before);
        else
            print_line(&look, &before);
        if (fflush(stdout) != 0)
            look.running = false; /* nobody reads any more */
        running = look.running;
        look_free(&before);
        before = look;
        if (running)
            wait_seconds(fmax(every, READING_SHARE * (clock_now() - start)));
    } while (running);
    look_free(&before);
    return 0;
}
