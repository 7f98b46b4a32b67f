/* measuring.h - the third phase: hand out points. */
#pragma once

#include <stdbool.h>

struct run;

void measuring_start(struct run *run);

/* Hand out work. True when everything is done. */
bool measuring_step(struct run *run);

/* Hand out nothing more. Running points may finish within `grace` seconds. */
void measuring_stop(struct run *run, double grace);

void measuring_end(struct run *run);

/* How often a point is measured or counted after its first time. */
double measuring_further(const struct run *run);
