/* launch.h - launches a point: a kernel, or a call. */
#pragma once

#include "worker/cuda/device/point.h"

/* Queue a launch on set turn % sets. A timer_work whose context is a struct cuda_point. */
void cuda_point_launch(void *context, cudaStream_t stream, uint64_t turn);
