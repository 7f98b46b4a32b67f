/* launch.h - launch a point: its own kernel, or the vendor's engine in its place. */
#ifndef WORKER_CUDA_LAUNCH_LAUNCH_H
#define WORKER_CUDA_LAUNCH_LAUNCH_H

#include "worker/cuda/device/point.h"

/* Queue one launch on set turn % sets. A timer_work, with the cuda_point as its context. */
void cuda_point_launch(void *context, cudaStream_t stream, uint64_t turn);

#endif
