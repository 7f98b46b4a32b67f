#include "coordinator/progress/progress.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/clock.h"

#define BAR_WIDTH      30
#define BAR_SECONDS    0.1
#define UNFINISHED_MAX 0.99 /* the largest share of the time while measurements are left */
#define LOG_MIN        1.0  /* s between two log lines: minimum */
#define LOG_SECONDS    30.0 /* maximum; or after this share of the time: */
#define LOG_SHARE      0.1

void progress_clear(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

static bool can_overwrite_lines(int descriptor)
{
    const char *kind = getenv("TERM");
    return isatty(descriptor) && (!kind || strcmp(kind, "dumb") != 0);
}

/* Under mpirun stderr is a pipe; what matters is where the stderr of mpirun goes. */
static bool parent_has_terminal(void)
{
    char path[64];
    struct stat status;
    if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMIX_RANK") && !getenv("PMI_RANK"))
        return false;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getppid(), STDERR_FILENO);
    if (stat(path, &status) != 0 || !S_ISCHR(status.st_mode)) /* the parent is a daemon, or of another user */
        return false;
    int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    bool terminal = fd >= 0 && can_overwrite_lines(fd);
    if (fd >= 0)
        close(fd);
    return terminal;
}

void progress_open(struct progress *progress, bool plain)
{
    *progress = (struct progress){.terminal = !plain &&
                                              (can_overwrite_lines(STDERR_FILENO) || parent_has_terminal())};
}

void progress_phase(struct progress *progress, const char *phase)
{
    progress->phase = phase;
    if (!progress->terminal || progress->what)
        return;
    fprintf(stderr, "\r\033[K[%*s] %s", BAR_WIDTH, "", phase);
    fflush(stderr);
    progress->shown = true;
}

void progress_start(struct progress *progress, const char *what, uint64_t total)
{
    progress->what = what;
    progress->total = total;
    progress->done = progress->bad = 0;
    progress->reported = 0;
    progress->start = progress->seen = progress->last = clock_now();
}

/* The finished share: of the time if the forecast is known, else of the points. */
static double share_of(const struct progress *progress, double left)
{
    double elapsed = clock_now() - progress->start;
    double by_points = progress->total ? (double)progress->done / (double)progress->total : 1;
    double share = isfinite(left) && elapsed + left > 0 ? elapsed / (elapsed + left) : by_points;
    return progress->done < progress->total ? fmin(share, UNFINISHED_MAX) : share;
}

/* "measuring: 1234/5678 points, 2 failed, 41 % of the time, 1min 20s left" */
static void describe(const struct progress *progress, double left, char *out, size_t size)
{
    char text[32] = "unknown", bad[48] = "";
    if (isfinite(left))
        text_format_seconds(left, text, sizeof text);
    if (left < 1 && progress->done < progress->total)
        snprintf(text, sizeof text, "under 1s");
    if (progress->bad)
        snprintf(bad, sizeof bad, ", %llu failed", (unsigned long long)progress->bad);
    snprintf(out, size, "%s: %llu/%llu %s%s, %d %% of the time, %s left",
             progress->phase ? progress->phase : "", (unsigned long long)progress->done,
             (unsigned long long)progress->total, progress->what, bad, (int)(100 * share_of(progress, left)),
             text);
}

static void draw(struct progress *progress, double left)
{
    char text[200], bar[BAR_WIDTH + 1];
    int filled = (int)(share_of(progress, left) * BAR_WIDTH);
    describe(progress, left, text, sizeof text);
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r\033[K[%s] %s", bar, text);
    fflush(stderr);
    progress->shown = true;
}

bool progress_is_due(const struct progress *progress)
{
    return progress->what && clock_now() - progress->seen >= (progress->terminal ? BAR_SECONDS : LOG_MIN);
}

void progress_tick(struct progress *progress, double left)
{
    double now = clock_now(), share = share_of(progress, left);
    progress->seen = now;
    if (progress->terminal) {
        progress->last = now;
        draw(progress, left);
    } else if (now - progress->last >= LOG_SECONDS || share >= progress->reported + LOG_SHARE) {
        char text[200];
        progress->last = now;
        progress->reported = share;
        describe(progress, left, text, sizeof text);
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
    progress_clear(progress);
    fprintf(stderr, "warpsweep: %s\n", line);
}
