/* timer.h - samples of device work by CUDA events, with the host out of the way and the clock watched.
 *
 * Launches of a stream have gaps that differ from process to process (by 2 to 11 %, seen on H100 and H200),
 * those within a CUDA graph far smaller and steadier ones: short work is timed as a graph of many launches.
 *
 * A group of samples is queued behind a kernel that blocks the stream until all of it is queued, so that no
 * sample waits for the host. Around each sample a one-thread kernel reads the cycle counter and the device's
 * clock; their ratio is the SM clock over the sample. */
#ifndef WORKER_CUDA_TIMING_TIMER_H
#define WORKER_CUDA_TIMING_TIMER_H

#include "core/result.h"
#include "worker/cuda/device/session.h"

/* One launch of the work; `turn` counts launches, so that work can walk over sets of buffers. */
typedef void (*timer_work)(void *context, cudaStream_t stream, uint64_t turn);

/* Of the highest SM clock: then it has risen. */
#define TIMER_CLOCK_RISEN 0.98

/* What becomes of L2 before each sample. */
enum timer_flush { FLUSH_NONE, FLUSH_DIRTY, FLUSH_CLEAN };

struct timer_job {
    timer_work work;
    void *context;
    uint32_t launches; /* per sample */
    uint32_t
        copies; /* between host and device, of a launch: each takes a place in the queue, in a graph too */
    enum timer_flush flush;
    bool unblocked;        /* do not block the stream: the work waits for the device (pageable copies do) */
    double overhead;       /* seconds, taken off each sample */
    uint64_t turn;         /* of the next direct launch; the timer counts it up */
    cudaGraphExec_t graph; /* owned; NULL: launches go to the stream one by one */
};

/* Launches 0 to launches - 1 as a graph, which the caller destroys. They must have run before: a capture does not allow
 * what a library's first launch may do, allocating among it. */
cudaGraph_t timer_graph(cudaStream_t stream, timer_work work, void *context, uint32_t launches);

struct timer; /* opaque: events and readings */
struct timer *timer_new(struct cuda_session *session);
void timer_free(struct timer *timer);

/* Launch once and wait, before anything is queued behind a block: a first launch may have to load code, which can wait
 * for the device. */
void timer_first(struct timer *timer, struct timer_job *job);

/* Capture the launches of a sample, turns 0 to launches - 1, as a graph, which every sample then replays. */
void timer_capture(struct timer *timer, struct timer_job *job);
void timer_release(struct timer_job *job);

/* The most samples that one group of such a job can hold: the stream's queue is finite. */
uint32_t timer_group_limit(const struct timer_job *job);

/* Take `count` <= timer_group_limit samples; seconds are of one launch. `reasons` (may be NULL) gets the
 * clock-event reasons that NVML reported while they ran, or'ed in. Blocks until done. CUDA errors end the
 * point. */
void timer_take(struct timer *timer, struct timer_job *job, uint32_t count, struct sample *samples,
                uint64_t *reasons);

#endif
