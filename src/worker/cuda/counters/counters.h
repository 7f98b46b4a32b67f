/* counters.h - counts hardware counters: after the points of a batch are timed, each is launched again for every pass that its
 * counters need. Several points share one start and stop of the profiler. */
#pragma once

#include "core/result.h"
#include "worker/cuda/device/session.h"
#include "worker/trial.h"

struct cuda_counters; /* opaque: the profiler's session */

/* Prepare to count the counters of `session->config`; the profiler is opened when there is something to count. Never fails: counters
 * that are not available are missing, and the note has the reason. */
struct cuda_counters *cuda_counters_open(struct cuda_session *session);
void cuda_counters_close(struct cuda_counters *counters);

/* Why columns are missing, in one line; "" if none are. */
const char *cuda_counters_note(const struct cuda_counters *counters);

/* Count `count` points: counted[i] gets config.counter_count counters, NaN if missing, and the activity of a call. CUDA errors go to the current guard. After an
 * error of CUPTI (-1) the note has the message, and the session must be closed. Each pass reports the stage `count`, as a
 * heartbeat. */
int cuda_counters_take(struct cuda_counters *counters, const struct countable *points, uint32_t count,
                       struct counted *counted, stage_report report, void *context);
