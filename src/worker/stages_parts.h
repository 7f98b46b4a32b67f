/* stages_parts.h - what measuring a point and measuring a pair have in common; private to stages.c and stages_pair.c. */
#pragma once

#include "worker/stages.h"

/* STATUS_OK, or what becomes of the point that this worker cannot measure, and why: unsupported by its family's rules, the device or the
 * host's NUMA nodes; unavailable without the ranks that it needs. */
enum status stages_refuse(const struct stages *stages, const struct point *point,
                          char reason[RESULT_MESSAGE_SIZE]);

struct trial stages_trial(const struct stages *stages, const struct point *point, struct result *result);

/* Set what the stages go by: setup, state of L2, seed; and the work of the result. */
void stages_describe(struct trial *trial);

/* Load, verify unless it is a replicate, and warm up. Ends early if the point fails. */
void stages_prepare(struct trial *trial, const struct stages *stages);

/* Behind the last sample: launch once more on poisoned outputs, and compare. What has become of the inputs stays. */
void stages_verify_again(struct trial *trial, const struct stages *stages);

/* Size of the next group of samples: the minimum at first, then half of the samples so far; limited by max_samples, max_time and
 * `most`. */
uint32_t stages_next_group(const struct timing *timing, uint32_t most, uint32_t taken, double elapsed);

/* End the point if the sample has no time: noise can be longer than short work. */
void stages_check_sample(struct trial *trial, const struct sample *sample);

/* Predict counters and time, unless the back end makes its results up or it is a replicate. */
void stages_predict(struct trial *trial, const struct stages *stages);
