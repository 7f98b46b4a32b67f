/* measure.h - time a point: warm up, choose how to sample, sample until the evidence is enough. */
#ifndef WORKER_CUDA_MEASURE_H
#define WORKER_CUDA_MEASURE_H

#include "worker/cuda/point.h"
#include "worker/cuda/timer.h"

/* Bring the clock up and learn how long one launch takes, in seconds. */
double cuda_measure_warm_up(struct timer *timer, struct cuda_point *p);

/* Sample into `result`: samples, statistics, stop reason, throttle reasons. `launch_seconds` is the
 * warm-up's. */
void cuda_measure_sample(struct timer *timer, struct cuda_point *p, double launch_seconds,
                         struct result *result);

#endif
