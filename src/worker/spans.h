/* spans.h - what this worker is at, for the run's timeline: one lane a process, told by its main thread. Threads that
 * help it tell nothing: theirs is the phase of what they help with. */
#ifndef WORKER_SPANS_H
#define WORKER_SPANS_H

#include <stdbool.h>

#include "core/point.h"
#include "protocol/timeline.h"

/* Start and end of what is told: a request, or opening the device. */
void spans_begin(enum phase phase);
void spans_end(void);

/* Which point it is about from now on; NULL: none. */
void spans_point(const struct point *point);

/* A phase within the one that goes on; it gives back that one, which spans_leave goes back to. A jump out of it may
 * leave it: the next one that is entered or left ends it. */
enum phase spans_enter(enum phase phase);
void spans_leave(enum phase before);

/* Since `start` (clock_now) the phases `first` and `second` took turns, too short to tell one by one: the first had
 * `share` of the time. */
void spans_share(double start, enum phase first, enum phase second, double share);

/* Is it time to send what was told? So that a worker that dies takes little of it along. */
bool spans_are_due(void);

/* All that was told so far, as timeline_put has it. Many short spans are added up, by phase and kernel. */
void spans_put(struct wire *wire);

#endif
