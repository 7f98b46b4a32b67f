/* host_copy.h - copies between host and device, whole or in chunks over streams. */
#ifndef WORKER_CUDA_LAUNCH_HOST_COPY_H
#define WORKER_CUDA_LAUNCH_HOST_COPY_H

#include "worker/cuda/device/point.h"

/* Queue ENGINE_HOST_COPY (family/family.h). The copies start after earlier work in `stream`; later work in `stream` starts after
 * them. */
void cuda_host_copy_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set);

/* Destroy the streams of the point's launches: additional streams in the process slow down every later launch. */
void cuda_host_copy_end(void);

#endif
