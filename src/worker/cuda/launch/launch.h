/* launch.h - launches a point: its own kernel, or the vendor's engine. */
#ifndef WORKER_CUDA_LAUNCH_LAUNCH_H
#define WORKER_CUDA_LAUNCH_LAUNCH_H

#include "worker/cuda/device/point.h"

/* Queue a launch on set turn % sets. A timer_work whose context is a struct cuda_point. */
void cuda_point_launch(void *context, cudaStream_t stream, uint64_t turn);

#endif
