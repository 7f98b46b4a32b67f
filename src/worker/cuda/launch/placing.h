/* placing.h - the buffers of a point: laid out in the session's arena, filled, and named in launch arguments.
 */
#ifndef WORKER_CUDA_LAUNCH_PLACING_H
#define WORKER_CUDA_LAUNCH_PLACING_H

#include "worker/cuda/device/point.h"

/* Place `sets` sets of buffers (fewer when memory is short, at least one), fill the inputs of all of them,
 * zero what is to be zero, and build the launch arguments. May be called again with another number. */
void cuda_point_place(struct cuda_point *p, uint32_t sets);

/* The same in two steps, one set, for several points that are to lie side by side: the bytes that a point
 * needs; then place it at `arena`, which has so many. `filled`: its inputs are there, of a point that it fits. */
uint64_t cuda_point_need(struct cuda_point *p);
void cuda_point_place_at(struct cuda_point *p, char *arena, bool filled);

/* Whether the second point, whose need is known, can do with the buffers of the first, one after the other: the same inputs
 * in the same places, and nothing that a launch is to find as it was at first. */
bool cuda_point_fits(const struct cuda_point *first, const struct cuda_point *second);

/* Release what placing took, but for the session's arena. Also after a failed point. */
void cuda_point_release(struct cuda_point *p);

#endif
