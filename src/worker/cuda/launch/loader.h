/* loader.h - loads the code of a point on the device. */
#pragma once

#include "worker/cuda/device/point.h"

/* Compile the code of the point, or take it from memory or from the cache. Set its attributes, and fill the result columns about
 * it. */
void cuda_code_load(struct cuda_point *p, struct result *result);

/* Set the attributes of the point's kernel again, and what L2 does for it: points that share a kernel may need different ones. */
void cuda_code_apply(struct cuda_point *p);
