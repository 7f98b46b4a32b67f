/* measure.h - how a point is timed: warm it up, choose what a sample is, and what is seen besides times. */
#pragma once

#include "worker/cuda/device/point.h"
#include "worker/cuda/timing/floors.h"
#include "worker/cuda/timing/timer.h"
#include "worker/trial.h"

/* Bring the clock up and learn how long one launch takes. */
void cuda_measure_warm_up(struct timer *timer, struct cuda_point *p, struct trial *trial);

/* Choose launches a sample and sets of buffers, place those, and capture the launches. `job` owns the graph:
 * timer_release. */
void cuda_measure_arrange(struct timer *timer, const struct floors *floors, struct cuda_point *p,
                          struct trial *trial, struct timer_job *job);

/* The same for a pair: equally many launches, on the same buffers. */
void cuda_measure_arrange_pair(struct timer *timer, const struct floors *floors, struct cuda_point p[2],
                               struct trial *const trial[2], struct timer_job job[2]);

/* After sampling: temperature, power, and what the kernel reports about itself. */
void cuda_measure_observe(struct cuda_point *p, const struct timer_job *job, struct result *result);
