/* phases.h - records the phases of this worker for the run's timeline: one lane per process, recorded by its
 * main thread. Other threads record nothing: their work belongs to the phase of the main thread. */
#pragma once

#include <stdbool.h>

#include "core/point.h"
#include "protocol/timeline.h"

/* Start and end of recording: around a request, or around opening the device. */
void phases_begin(enum phase phase);
void phases_end(void);

/* Set the point of the following phases; NULL: none. */
void phases_point(const struct point *point);

/* Enter a phase; returns the current one, for phases_leave. After a longjmp out of a phase, the next enter or
 * leave ends it. */
enum phase phases_enter(enum phase phase);
void phases_leave(enum phase before);

/* Record that two phases alternated since `start` (clock_now), in turns too short to record. `share`: of the
 * first. */
void phases_share(double start, enum phase first, enum phase second, double share);

/* Is it time to send the phases? They are sent often, so that little is lost if the worker dies. */
bool phases_are_due(void);

/* Put what is recorded into a message (timeline_put). */
void phases_put(struct wire *wire);
