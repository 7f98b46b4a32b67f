#include "launch/coordinator/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/terminal.h"
#include "base/text.h"

#define BAR_WIDTH   30
#define BAR_SECONDS 0.1
#define LOG_SECONDS 30.0

static void clear(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

void progress_start(struct progress *progress, const char *what, uint64_t total, bool plain)
{
    *progress = (struct progress){.terminal = !plain && terminal_redraws(STDERR_FILENO),
                                  .what = what,
                                  .total = total,
                                  .start = clock_now()};
    progress->last = progress->start;
}

/* "1234/5678 points, 2 failed, 56.1/s, 1min 20s left" */
static void describe(const struct progress *progress, char *out, size_t size)
{
    char left[32] = "?", bad[48] = "";
    double seconds = clock_now() - progress->start;
    double rate = seconds > 0 ? (double)progress->done / seconds : 0;
    if (rate > 0)
        text_format_seconds((double)(progress->total - progress->done) / rate, left, sizeof left);
    if (progress->bad)
        snprintf(bad, sizeof bad, ", %llu failed", (unsigned long long)progress->bad);
    snprintf(out, size, "%llu/%llu %s%s, %.3g/s, %s left", (unsigned long long)progress->done,
             (unsigned long long)progress->total, progress->what, bad, rate, left);
}

static void draw(struct progress *progress)
{
    char text[160], bar[BAR_WIDTH + 1];
    double share = progress->total ? (double)progress->done / (double)progress->total : 1;
    int filled = (int)(share * BAR_WIDTH);
    describe(progress, text, sizeof text);
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r\033[K[%s] %3d%% %s", bar, (int)(share * 100), text);
    progress->shown = true;
}

void progress_tick(struct progress *progress)
{
    double now = clock_now();
    if (now - progress->last < (progress->terminal ? BAR_SECONDS : LOG_SECONDS))
        return;
    progress->last = now;
    if (progress->terminal) {
        draw(progress);
    } else {
        char text[160];
        describe(progress, text, sizeof text);
        fprintf(stderr, "warpsweep: %s\n", text);
    }
}

void progress_say(struct progress *progress, const char *format, ...)
{
    char raw[2048], line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    clean_text(raw, line, sizeof line);
    clear(progress);
    fprintf(stderr, "warpsweep: %s\n", line);
}

void progress_end(struct progress *progress)
{
    clear(progress);
}
