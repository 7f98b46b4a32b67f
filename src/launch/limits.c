#include "launch/launch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "process/watcher.h"

#define START_SECONDS    120
#define SECONDS_PER_RANK 0.05
#define OTHER_RANKS      2 /* s that they wait longer than rank 0 */

static unsigned seconds_to_start(int ranks, double time_limit)
{
    const char *text = getenv("WARPSWEEP_START_TIMEOUT");
    int64_t given = 0;
    double seconds = START_SECONDS + SECONDS_PER_RANK * ranks;
    if (text && text_parse_integer(text, &given) && given > 0 && given <= 86400)
        seconds = (double)given;
    if (time_limit > 0 && time_limit < seconds)
        seconds = time_limit;
    return seconds < 1 ? 1 : (unsigned)seconds;
}

/* ---- In the watching child ---- */

static unsigned start_seconds;

static void report_start(void)
{
    fprintf(stderr,
            "warpsweep: MPI has not started all ranks within %u s: is one of them stopped? Ending the run, "
            "nothing was measured (WARPSWEEP_START_TIMEOUT allows more time)\n",
            start_seconds);
}

static void report_end(void)
{
    fprintf(stderr,
            "warpsweep: some rank does not answer while MPI ends: ending the run; the results are safe\n");
}

/* ---- In this process ---- */

static volatile sig_atomic_t exit_code;
static struct watcher watcher;

static void exit_now(int number)
{
    (void)number;
    _exit(exit_code);
}

void limits_start_begin(int ranks, double time_limit, bool first)
{
    exit_code = ERROR_ENVIRONMENT;
    start_seconds = seconds_to_start(ranks, time_limit);
    signal(SIGALRM, exit_now);
    watcher = watcher_start(start_seconds + (first ? 0 : OTHER_RANKS), report_start);
}

void limits_end_begin(unsigned seconds, int ranks, int code)
{
    exit_code = code;
    signal(SIGALRM, exit_now);
    watcher = watcher_start(seconds + (unsigned)(SECONDS_PER_RANK * ranks), report_end);
}

void limits_lift(void)
{
    watcher_stop(&watcher);
    signal(SIGALRM, SIG_DFL);
}
