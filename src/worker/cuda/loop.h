/* loop.h - keeps the device busy with the launches of a point, to measure its energy. */
#pragma once

#include "worker/backend.h"
#include "worker/cuda/timing/timer.h"

enum { LOOP_CHUNKS = 4 }; /* queued at a time */

/* Start from {0}. */
struct cuda_loop {
    cudaEvent_t event[LOOP_CHUNKS];
    uint32_t samples; /* of a chunk; 0: the loop has not begun */
    uint64_t queued, ended;
};

/* Queue chunks until LOOP_CHUNKS wait, wait for some milliseconds, and read the device. `sample_seconds`: estimated. */
void cuda_loop_go_on(struct cuda_loop *loop, struct timer_job *job, double sample_seconds,
                     struct cuda_session *session, struct meter *reading);

/* Wait for the launches, and release the events. Their error is returned. */
cudaError_t cuda_loop_end(struct cuda_loop *loop, struct cuda_session *session);

/* Read the device, busy with `loop` or idle (NULL). */
void cuda_loop_read(struct cuda_loop *loop, struct cuda_session *session, struct meter *reading);
