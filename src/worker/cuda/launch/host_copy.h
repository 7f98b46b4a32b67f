/* host_copy.h - copies between host and device, whole or in chunks over streams. */
#ifndef WORKER_CUDA_LAUNCH_HOST_COPY_H
#define WORKER_CUDA_LAUNCH_HOST_COPY_H

#include "worker/cuda/device/point.h"

/* Queue ENGINE_HOST_COPY (src/family/family.h says what it does). The work starts after what is in `stream`,
 * and what follows in `stream` starts after it. */
void cuda_host_copy_launch(struct cuda_point *p, cudaStream_t stream, uint32_t set);

/* Give back what the point's launches needed: with further streams in the process, each launch of any later kernel takes
 * longer. */
void cuda_host_copy_end(void);

#endif
