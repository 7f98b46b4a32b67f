/* progress.h - what a person sees of a run, on stderr of rank 0: a bar on a terminal, under mpirun too; a line now and
 * then in a log. */
#ifndef COORDINATOR_PROGRESS_PROGRESS_H
#define COORDINATOR_PROGRESS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool terminal, shown; /* is there a bar on the screen? */
    double start;         /* s of clock_now: of what is counted */
    double seen, last;    /* the same: when it was last looked how long it takes; of the last line or bar */
    double told;          /* share of the time that the last line of a log told */
    const char *phase;    /* of the run: "measuring"; NULL: none yet */
    const char *what;     /* is counted: "points"; NULL: nothing yet */
    uint64_t total, done, bad; /* of this run: points to measure, measured, of those not ok */
};

/* `plain`: lines on a terminal too, which others write to as well. */
void progress_open(struct progress *progress, bool plain);

/* What the run is at before anything is counted: shown on a terminal alone. */
void progress_phase(struct progress *progress, const char *phase);

/* Points, or measurements, are counted from now on. */
void progress_start(struct progress *progress, const char *what, uint64_t total);

/* Call often: is it time to look how long it still takes, and perhaps to draw? */
bool progress_is_due(const struct progress *progress);

/* Draw; `left`: seconds that are left, NaN when that is not known. */
void progress_tick(struct progress *progress, double left);

/* A line of its own, above the bar. Works before progress_open, too. */
void progress_say(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Take the bar away. */
void progress_end(struct progress *progress);

#endif
