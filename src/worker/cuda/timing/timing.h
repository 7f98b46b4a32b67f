/* timing.h - samples of device work by CUDA events, without waiting for the host, and with the SM clock.
 *
 * The gaps between launches of a stream differ between processes (by 2 to 11 % of short launches on H100 and
 * H200). Those within a CUDA graph are much smaller and steadier, so short work is timed as a graph of many
 * launches.
 *
 * A group of samples is queued behind a kernel that blocks the stream until the whole group is queued, so
 * that no sample waits for the host. Before and after each sample a one-thread kernel reads the cycle counter
 * and the device's clock; the ratio of their differences is the SM clock. */
#pragma once

#include "worker/cuda/device/cuda_device.h"

/* One launch of the work. `turn` counts launches, to select the set of buffers. */
typedef void (*timer_work)(void *context, cudaStream_t stream, uint64_t turn);

/* What is queued before and after the launches of a sample, between its events. */
typedef void (*timer_edge)(void *context, cudaStream_t stream);

/* A timer_work whose context is a struct kernel_launch. */
struct kernel_launch {
    struct cuda_session *session;
    cudaKernel_t kernel;
    void **arguments;
    unsigned blocks, threads; /* of the grid, and of a block */
};
void timer_launch(void *context, cudaStream_t stream, uint64_t turn);

enum { TIMER_GROUP_MAX = 64 }; /* samples of a group */

/* The flush of L2 before each sample. */
enum timer_flush { FLUSH_NONE, FLUSH_DIRTY, FLUSH_CLEAN };

struct timer_job {
    timer_work work;
    timer_edge begin, end; /* of a sample without a graph; NULL: nothing */
    void *context;
    uint32_t launches; /* per sample */
    uint32_t ahead;    /* launches before each sample, for whose end the host waits without sleeping */
    uint32_t places;   /* per launch, of the queue, also in a graph: those of copies and memsets */
    enum timer_flush flush;
    uint64_t zeroed; /* bytes that the driver zeroes before each sample, of any buffer; 0: none */
    bool idle;       /* each sample begins on an idle device, when the flush has ended; for groups of one */
    bool bare;       /* the clock is read before and after the group only: nothing is between samples */
    bool tries;      /* if the host is too late to queue a group, `late` says so, in place of an error */
    bool late;
    bool powered;    /* read the power, too */
    bool unblocked;  /* do not block the stream, because the work waits for the device (pageable copies) */
    double overhead; /* seconds, subtracted from each sample */
    uint64_t turn;   /* of the next direct launch; increased by the timer */
    /* 0: a sample replays the graph once. Else so often, and the graph is instantiated anew before, so that
     * the first replay uploads it. */
    uint32_t replays;
    cudaGraphExec_t graph; /* owned; NULL: single launches */
};

struct timer; /* opaque: events and readings */
struct timer *timer_new(struct cuda_session *session);
void timer_free(struct timer *timer);

/* Launch once and wait. Needed before work is queued behind a blocking kernel: a first launch may load code,
 * and wait for the device. */
void timer_first(struct timer *timer, struct timer_job *job);

/* Capture the launches of a sample, turns 0 to launches - 1, as a graph that every sample replays. The work
 * must have run before: the first launch of a library may allocate memory, which a capture does not allow. */
void timer_capture(struct timer *timer, struct timer_job *job);
void timer_release(struct timer_job *job);

/* The maximum number of samples in a group: the queue of a stream is finite. */
uint32_t timer_group_limit(const struct timer_job *job);

/* Queue the launches of a sample, without flush or events. */
void timer_queue(struct timer_job *job, cudaStream_t stream);

/* Take `count` <= timer_group_limit samples, in seconds per launch, with the clock-event reasons and the
 * power of NVML during each. Blocks until done. CUDA errors end the point, and so does a host that is twice
 * too late to queue the group, except with graphs: they become `unblocked`, and begin while the host queues
 * them. */
void timer_take(struct timer *timer, struct timer_job *job, uint32_t count, struct sample *samples);

/* The same for two jobs of one kind whose samples alternate: sample i is of jobs[version[i]]. Without
 * `version` all are of the first. */
void timer_take_turns(struct timer *timer, struct timer_job *jobs, const unsigned char *version,
                      uint32_t count, struct sample *samples);

/* The overhead of timing, measured in each process because it differs between processes: for an empty kernel,
 * in seconds. */
struct floors {
    double events;        /* two events with nothing between them */
    double launch;        /* one launch between two events */
    double node;          /* each further launch of a graph */
    double single, graph; /* overhead of a sample of one launch, and of a graph: what is no node */
};

/* Measure them after the clock has risen. */
struct floors floors_measure(struct cuda_session *session, struct timer *timer);

/* ---- The peaks of the device in this run: the denominators of all fractions ---- */

/* Begin to compile what the tensor peaks need, into the cache, by processes of their own.
 * cuda_peaks_measure_own waits for them. */
void cuda_peaks_compile(const struct cuda_session *session);

/* Fill the peaks of `device`: DRAM copy (the vendor's, device to device), read and write; the same three for
 * L2; shared memory; arithmetic in FP16, FP32 and FP64. Those of the link: host to device, and device to
 * host. Bytes read and written both count. */
void cuda_peaks_measure_own(struct cuda_session *session, struct timer *timer, struct device *device);

/* Allocate and touch host memory for the link: this takes longer than the copies, and does not need an idle
 * link. */
void cuda_peaks_prepare_link(struct cuda_session *session);
void cuda_peaks_measure_link(struct cuda_session *session, struct timer *timer, struct device *device);

/* bytes/s from the other device of an open remote pair to this one and back by the copy engine, the faster
 * way. NaN if either has no memory for it. Loses the contents of the arenas. */
double cuda_peaks_measure_peer(struct cuda_session *session, struct timer *timer);

/* Set peak_tensor_* of `device` by launches of mma_rate, 2 ms each, 9 for each type: wgmma where there is
 * one, else mma. Missing are types that the device has no product of, and all from compute capability 10.0 to
 * 11.0, whose fastest products (tcgen05) are none of these. The kernels are compiled, or come from the
 * cache. */
void cuda_tensor_peaks_measure(struct cuda_session *session, struct timer *timer, struct device *device);

/* The points of mma_rate that it launches on a device; returns how many. */
enum { TENSOR_PEAKS = 6 };
int cuda_tensor_peaks_points(const struct device *device, struct point point[TENSOR_PEAKS]);
