/* progress.h - the progress of a run on stderr of rank 0: a bar on a terminal, also under mpirun; occasional lines in a
 * log. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool terminal, shown;      /* a bar is on the screen */
    double start;              /* s of clock_now: start of counting */
    double seen, last;         /* s of clock_now: last forecast; last line or bar */
    double reported;           /* share of the time in the last log line */
    const char *phase;         /* of the run: "measuring"; NULL: none yet */
    const char *what;          /* what is counted: "points"; NULL: nothing yet */
    uint64_t total, done, bad; /* of this run: points to measure, measured, not ok */
};

/* `plain`: lines also on a terminal, because a log is printed there. */
void progress_open(struct progress *progress, bool plain);

/* The phase of the run; shown on a terminal before counting starts. */
void progress_phase(struct progress *progress, const char *phase);

/* Start counting `total` points or measurements. */
void progress_start(struct progress *progress, const char *what, uint64_t total);

/* Whether it is time for progress_tick. */
bool progress_is_due(const struct progress *progress);

/* Draw. `left`: remaining seconds; NaN: unknown. */
void progress_tick(struct progress *progress, double left);

/* Print a line above the bar. Works before progress_open, too. */
void progress_say(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Remove the bar. */
void progress_end(struct progress *progress);
