/* loader.h - a point's code on the device. */
#ifndef WORKER_CUDA_LAUNCH_LOADER_H
#define WORKER_CUDA_LAUNCH_LOADER_H

#include "worker/cuda/device/point.h"

/* Compile the point's code or take it from memory or the cache; set its attributes; fill the columns about
 * it. */
void cuda_code_load(struct cuda_point *p, struct result *result);

/* Set the attributes of the point's kernel again: points that share a kernel may want them otherwise. */
void cuda_code_apply(struct cuda_point *p);

#endif
