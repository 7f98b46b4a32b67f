/* sampling.h - the sampling loop, the same for all back ends. */
#ifndef WORKER_SAMPLING_H
#define WORKER_SAMPLING_H

#include "worker/trial.h"

typedef void (*sampling_take)(struct trial *trial, uint32_t count, struct sample *samples);

/* Take samples in groups of up to trial->group_max until the stopping rule ends sampling. Fills the result's samples and stop
 * reason. Returns early if `take` ends the point. */
void sampling_run(struct trial *trial, sampling_take take);

#endif
