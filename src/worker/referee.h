/* referee.h - does the time of a launch depend on what its outputs hold, or on inputs that it has met before?
 *
 * Samples are taken of launches whose outputs hold the results of the launch before. A kernel that looks at
 * them and returns is fast and right. The referee therefore takes two launches, each from empty caches: one
 * that finds its results, and one that finds poisoned outputs and inputs of a seed that nobody knows. The
 * second may not take longer, and its outputs are compared. */
#pragma once

#include "worker/stages.h"

/* Does the referee judge points like this one? Kernels and calls on one device, if they have outputs. What
 * the host back end runs in the place of kernels is the reference itself. */
bool referee_judges(const struct trial *trial, const struct stages *stages);

/* Are outputs of such a point compared for new inputs? */
bool referee_compares(const struct point *point, const struct setup *setup);

/* The seed of these inputs, which nobody can know: the same for all points of this process with equal data,
 * because references cost more than launches. */
uint64_t referee_seed(const struct point *point);

/* Judge a point that is arranged, by its samples so far, and fail it. Afterwards the buffers hold the inputs
 * of trial->seed again, unless nothing is launched any more: `last`. */
void referee_judge(struct trial *trial, const struct stages *stages, bool last);

/* True once in a while: a launch cannot know which moment the referee takes. */
bool referee_picks_now(void);
