/* progress.h - the progress of a run on stderr of rank 0, and how long it may still take: one line that
 * changes on a terminal, now and then a line in a log or under mpirun. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool terminal, shown;      /* a line that changes is on the screen */
    double start;              /* s of clock_now: start of counting */
    double last;               /* ... last line */
    double reported;           /* share of the time in the last line of a log */
    const char *what;          /* what is counted: "points"; NULL: nothing yet */
    uint64_t total, done, bad; /* of this run: points to measure, measured, not ok */
    double expected, spent;    /* s that everything was expected to take, and that of what is done */
};

/* `plain`: lines also on a terminal, because a log is printed there. */
void progress_open(struct progress *progress, bool plain);

/* Start counting `total` points or measurements, of `expected` seconds. Add to `done` and `spent` what is
 * done. */
void progress_start(struct progress *progress, const char *what, uint64_t total, double expected);

/* Show it, if it is time for that. */
void progress_tick(struct progress *progress);

/* Print a line above the one that changes. Works before progress_open, too. */
void progress_say(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Remove the line that changes. */
void progress_clear(struct progress *progress);
