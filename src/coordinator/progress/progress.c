#include "coordinator/progress/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

#define UNFINISHED_MAX   0.99 /* the largest share of the time while measurements are left */
#define TERMINAL_SECONDS 0.1  /* s between two lines: on a terminal */
#define LOG_MIN          1.0  /* in a log: at least */
#define LOG_SECONDS      30.0 /* at most; or after this share of the time: */
#define LOG_SHARE        0.1

void progress_clear(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

void progress_open(struct progress *progress, bool plain)
{
    const char *kind = getenv("TERM");
    bool terminal = isatty(STDERR_FILENO) && (!kind || strcmp(kind, "dumb") != 0);
    *progress = (struct progress){.terminal = terminal && !plain};
}

void progress_start(struct progress *progress, const char *what, uint64_t total, double expected)
{
    progress->what = what;
    progress->total = total;
    progress->expected = expected;
    progress->start = progress->last = clock_now();
}

static double share_of(const struct progress *progress)
{
    double share = progress->expected > 0 ? progress->spent / progress->expected : 1;
    return progress->done < progress->total ? fmin(share, UNFINISHED_MAX) : 1;
}

/* "measuring: 1234/5678 points, 2 failed, 41 % of the time, 1min 20s left". What is left takes as long as
 * what is done did, for each second that was expected. */
static void print(const struct progress *progress, const char *before, const char *after)
{
    char text[32] = "an unknown time", bad[48] = "";
    double share = share_of(progress), elapsed = clock_now() - progress->start;
    if (share > 0)
        text_format_seconds(elapsed * (1 - share) / share, text, sizeof text);
    if (progress->bad)
        snprintf(bad, sizeof bad, ", %" PRIu64 " failed", progress->bad);
    fprintf(stderr, "%smeasuring: %" PRIu64 "/%" PRIu64 " %s%s, %d %% of the time, %s left%s", before,
            progress->done, progress->total, progress->what, bad, (int)(100 * share), text, after);
    fflush(stderr);
}

void progress_tick(struct progress *progress)
{
    double now = clock_now(), since = now - progress->last;
    if (!progress->what || since < (progress->terminal ? TERMINAL_SECONDS : LOG_MIN))
        return;
    double share = share_of(progress);
    if (!progress->terminal && since < LOG_SECONDS && share < progress->reported + LOG_SHARE)
        return;
    progress->last = now;
    progress->reported = share;
    progress->shown = progress->terminal;
    if (progress->terminal)
        print(progress, "\r\033[K", "");
    else
        print(progress, "warpsweep: ", "\n");
}

void progress_say(struct progress *progress, const char *format, ...)
{
    char raw[2048], line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    clean_text(raw, line, sizeof line);
    progress_clear(progress);
    fprintf(stderr, "warpsweep: %s\n", line);
}
