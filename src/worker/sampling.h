/* sampling.h - take samples until the stopping rule is content: one loop for every back end. */
#ifndef WORKER_SAMPLING_H
#define WORKER_SAMPLING_H

#include "worker/trial.h"

typedef void (*sampling_take)(struct trial *trial, uint32_t count, struct sample *samples);

/* Fill the result's samples and why it stopped. Samples come in groups of up to trial->group_max. Ends early
 * when `take` ends the point. */
void sampling_run(struct trial *trial, sampling_take take);

#endif
