/* progress.h - what a person sees of a run, on stderr of rank 0: a bar on a terminal, a line now and then in
 * a log. */
#ifndef LAUNCH_COORDINATOR_PROGRESS_H
#define LAUNCH_COORDINATOR_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool terminal, shown; /* is there a bar on the screen? */
    double start, last;
    const char *what;          /* is counted: "points" */
    uint64_t total, done, bad; /* of this run: points to measure, measured, of those not ok */
};

/* `plain`: lines on a terminal too, which others write to as well. */
void progress_start(struct progress *progress, const char *what, uint64_t total, bool plain);

/* Call often: draws when it is time to. */
void progress_tick(struct progress *progress);

/* A line of its own, above the bar. Works before progress_start, too. */
void progress_say(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Take the bar away. */
void progress_end(struct progress *progress);

#endif
