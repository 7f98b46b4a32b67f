/* energy.h - the energy of a launch: a loop of launches of its own, after the point was timed, beside NVML's energy counter.
 *
 * The counter is updated some ten times a second, so neither end of a loop is the time of a reading. Energy is therefore the
 * slope of a line through the updates: the first reading after each, and its time. The launches that have ended are another
 * line. The quotient of the slopes is the energy of a launch, and the scatter about the lines gives its interval. */
#pragma once

#include "worker/stages.h"

#define ENERGY_SETTLES 1.0   /* s of load before the window, and as long as a power sample averages */
#define ENERGY_WINDOW  1.0   /* s at least */
#define ENERGY_TARGET  0.005 /* half-width of the interval at which the loop ends, relative */
#define ENERGY_UPDATES 6     /* of the counter at least */
#define ENERGY_LONGEST 10.0  /* s; also at most half of the point's timeout */
#define ENERGY_STILL   3.0   /* s without an update: the counter stands still */
#define ENERGY_DIFFERS 0.05  /* power samples that differ more from the counter are mentioned */

/* Measure a point that was timed, in the state of L2 that it was timed in. What cannot be measured is NaN; `status` says why. */
void energy_measure(const struct stages *stages, const struct point *point, struct energy *energy);

/* Power of the idle device in W; NaN if it is not known. */
double energy_idle(const struct backend *backend);
