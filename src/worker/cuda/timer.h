/* timer.h - samples of device work by CUDA events, with the host out of the way and the clock watched.
 *
 * A group of samples is queued behind a kernel that blocks the stream until all of it is queued, so that no
 * sample waits for the host. Around each sample a one-thread kernel reads the cycle counter and the device's
 * clock; their ratio is the SM clock over the sample. */
#ifndef WORKER_CUDA_TIMER_H
#define WORKER_CUDA_TIMER_H

#include "core/result.h"
#include "worker/cuda/session.h"

/* One launch of the work; `turn` counts launches, so that work can walk over sets of buffers. */
typedef void (*timer_work)(void *context, cudaStream_t stream, uint64_t turn);

struct timer_job {
    timer_work work;
    void *context;
    uint32_t batch; /* launches per sample */
    bool flush;     /* empty L2 before each sample */
    bool unblocked; /* do not block the stream: the work waits for the device (pageable copies do) */
    uint64_t turn;  /* of the next launch; the timer counts it up */
};

struct timer; /* opaque: events and readings */
struct timer *timer_new(struct cuda_session *session);
void timer_free(struct timer *timer);

/* The most samples that one group of such a job can hold: the stream's queue is finite. */
uint32_t timer_group_limit(const struct timer_job *job);

/* Take `count` <= timer_group_limit samples; seconds are of one launch. `reasons` (may be NULL) gets the
 * clock-event reasons that NVML reported while they ran, or'ed in. Blocks until done. CUDA errors end the
 * point. */
void timer_take(struct timer *timer, struct timer_job *job, uint32_t count, struct sample *samples,
                uint64_t *reasons);

#endif
