/* counters.h - the counter pass: after the points of a batch were timed, each is launched once more for
 * every pass that its counters need, several points between one start and stop of the profiler, whose cost
 * they share. */
#ifndef WORKER_CUDA_COUNTERS_COUNTERS_H
#define WORKER_CUDA_COUNTERS_COUNTERS_H

#include "core/result.h"
#include "worker/cuda/device/session.h"
#include "worker/trial.h"

struct cuda_counters; /* opaque: the profiler's session */

/* To count what `session->config` names; the profiler is asked when there is something to count. Never fails: what cannot be
 * counted, or all of it, is missing, and the note says why. */
struct cuda_counters *cuda_counters_open(struct cuda_session *session);
void cuda_counters_close(struct cuda_counters *counters);

/* Why columns are missing, in one line; "" when none are. */
const char *cuda_counters_note(const struct cuda_counters *counters);

/* Count `count` points; values[i] gets config.counter_count numbers, NaN where there is none. CUDA errors end
 * in the current guard; of CUPTI's the note tells, and it is of no more use then (-1). Each pass of the profiler is a
 * stage, `count`: a sign of life. */
int cuda_counters_take(struct cuda_counters *counters, const struct countable *points, uint32_t count,
                       double (*values)[RESULT_COUNTERS_MAX], stage_report report, void *context);

#endif
