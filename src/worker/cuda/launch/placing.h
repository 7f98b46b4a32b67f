/* placing.h - places the buffers of a point in the session's arena, fills them, and builds the launch arguments. */
#pragma once

#include "worker/cuda/device/point.h"

/* Place `sets` sets of buffers (fewer if memory is short, but at least one), fill their inputs, zero BUFFER_ZEROED buffers, and
 * build the launch arguments. May be called again with another number. */
void cuda_point_place(struct cuda_point *p, uint32_t sets);

/* Give the BUFFER_IN_PLACE and BUFFER_ZEROED buffers of the first set their first contents again: launches have changed them. */
void cuda_point_refill(struct cuda_point *p);

/* The same in two steps for a single set, for several points in one arena: cuda_point_need gives the bytes of a point;
 * cuda_point_place_at places it at `arena`. `filled`: the inputs are there already, from a point that it fits. */
uint64_t cuda_point_need(struct cuda_point *p);
void cuda_point_place_at(struct cuda_point *p, char *arena, bool filled);

/* Can the second point reuse the buffers of the first after it? Both need the same inputs at the same offsets, and no buffer that
 * must have its initial contents. Call cuda_point_need for the second point before. */
bool cuda_point_fits(const struct cuda_point *first, const struct cuda_point *second);

/* Place the second point of a pair in the buffers of the first, which are equal and placed. Release the second before the first
 * is placed again. */
void cuda_point_share(const struct cuda_point *first, struct cuda_point *second);

/* Close the call and release the resources of placing, except the session's arena. Also after a failed point. */
void cuda_point_release(struct cuda_point *p);
