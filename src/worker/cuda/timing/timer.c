#include "worker/cuda/timing/timing.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "worker/cuda/timing/watch.h"

/* A launch blocks when about 1024 launches are pending in the driver. Here a blocking launch would be a
 * deadlock. */
enum { QUEUE_MAX = 512 };

/* Minimum time between two clock readings in seconds: the device's clock has a resolution of up to 1 us. */
#define CLOCK_SPAN_MIN 100e-6

/* The blocking kernel gives up after this time, in nanoseconds. */
#define BLOCK_TIMEOUT UINT64_C(2000000000)

struct reading { /* written by support.cu */
    uint64_t cycles, nanoseconds, multiprocessor;
};

#define READINGS_BYTES (2 * TIMER_GROUP_MAX * sizeof(struct reading))

struct timer {
    struct cuda_session *session;
    cudaEvent_t start[TIMER_GROUP_MAX], stop[TIMER_GROUP_MAX];
    cudaEvent_t done; /* the only event that the host waits for: blocking events are a scarce resource */
    struct reading *readings; /* device memory, two per sample */
    struct reading *host;     /* pinned: a copy of them */
    volatile uint32_t *gate;  /* pinned: [0] the ticket the host lets pass, [1] the last that timed out */
    uint32_t ticket;
    struct watch *watch;
    double ended; /* the last group, by clock_now */
};

struct timer *timer_new(struct cuda_session *session)
{
    struct timer *timer = memory_new(1, sizeof *timer);
    timer->session = session;
    for (int i = 0; i < TIMER_GROUP_MAX; i++) {
        CUDA(cudaEventCreate(&timer->start[i]));
        CUDA(cudaEventCreate(&timer->stop[i]));
    }
    CUDA(cudaEventCreateWithFlags(&timer->done, cudaEventBlockingSync | cudaEventDisableTiming));
    CUDA(cudaMalloc((void **)&timer->readings, READINGS_BYTES));
    CUDA(cudaHostAlloc((void **)&timer->host, READINGS_BYTES, cudaHostAllocDefault));
    CUDA(cudaHostAlloc((void **)&timer->gate, 2 * sizeof *timer->gate, cudaHostAllocMapped));
    timer->gate[0] = timer->gate[1] = 0;
    timer->watch = watch_new(session->nvml);
    return timer;
}

void timer_free(struct timer *timer)
{
    if (!timer)
        return;
    watch_free(timer->watch);
    for (int i = 0; i < TIMER_GROUP_MAX; i++) {
        cudaEventDestroy(timer->start[i]);
        cudaEventDestroy(timer->stop[i]);
    }
    cudaEventDestroy(timer->done);
    cudaFree(timer->readings);
    cudaFreeHost(timer->host);
    cudaFreeHost((void *)timer->gate);
    free(timer);
}

uint32_t timer_group_limit(const struct timer_job *job)
{
    uint64_t places = (job->graph ? 1 : job->launches) + (uint64_t)job->launches * job->places;
    uint32_t limit = (uint32_t)(QUEUE_MAX / (places + 5)); /* flush, two clock readings, two events */
    if (limit < 1)
        return 1;
    return limit > TIMER_GROUP_MAX ? TIMER_GROUP_MAX : limit;
}

void timer_launch(void *context, cudaStream_t stream, uint64_t turn)
{
    const struct kernel_launch *launch = context;
    cudaLaunchConfig_t config = {
        .gridDim = {launch->blocks, 1, 1}, .blockDim = {launch->threads, 1, 1}, .stream = stream};
    (void)turn;
    CUDA(cudaLaunchKernelExC(&config, launch->kernel, launch->arguments));
    launch->session->launches++;
}

void timer_first(struct timer *timer, struct timer_job *job)
{
    job->work(job->context, timer->session->stream, 0);
    CUDA(cudaStreamSynchronize(timer->session->stream));
}

static cudaGraph_t capture(cudaStream_t stream, timer_work work, void *context, uint32_t launches)
{
    cudaGraph_t graph = NULL;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    cuda_capturing = stream;
    for (uint32_t i = 0; i < launches; i++)
        work(context, stream, i);
    cuda_capturing = NULL;
    CUDA(cudaStreamEndCapture(stream, &graph));
    return graph;
}

void timer_capture(struct timer *timer, struct timer_job *job)
{
    cudaStream_t stream = timer->session->stream;
    timer_release(job);
    cudaGraph_t graph = capture(stream, job->work, job->context, job->launches);
    cudaError_t status = cudaGraphInstantiate(&job->graph, graph, 0);
    cudaGraphDestroy(graph);
    CUDA(status);
    if (!job->replays)
        CUDA(cudaGraphUpload(job->graph, stream));
}

void timer_release(struct timer_job *job)
{
    if (job->graph)
        cudaGraphExecDestroy(job->graph);
    job->graph = NULL;
}

static void queue_block(struct timer *timer)
{
    const volatile uint32_t *gate = timer->gate, *expired = timer->gate + 1;
    uint64_t timeout = BLOCK_TIMEOUT;
    timer->ticket++;
    void *arguments[] = {&gate, &timer->ticket, &timeout, &expired};
    cuda_session_launch(timer->session, timer->session->block_stream, arguments, false);
}

static void queue_reading(struct timer *timer, uint32_t index)
{
    struct reading *out = timer->readings + index;
    void *arguments[] = {&out};
    cuda_session_launch(timer->session, timer->session->read_clocks, arguments, false);
}

static void queue_launches(struct timer_job *job, cudaStream_t stream, uint32_t launches)
{
    if (job->begin)
        job->begin(job->context, stream);
    for (uint32_t i = 0; i < launches; i++)
        job->work(job->context, stream, job->turn++);
    if (job->end)
        job->end(job->context, stream);
}

void timer_queue(struct timer_job *job, cudaStream_t stream)
{
    for (uint32_t i = 0; job->graph && (i == 0 || i < job->replays); i++)
        CUDA(cudaGraphLaunch(job->graph, stream));
    if (!job->graph)
        queue_launches(job, stream, job->launches);
}

static void go_ahead(struct timer_job *job, cudaStream_t stream)
{
    assert(job->unblocked); /* or it would wait for itself */
    cudaError_t status = cudaErrorNotReady;
    queue_launches(job, stream, job->ahead);
    while (status == cudaErrorNotReady)
        status = cudaStreamQuery(stream);
    cudaGetLastError(); /* CUB takes "not ready" for an error of its own launches */
    CUDA(status);
}

/* Of any size, in the buffer of the flush. */
static void queue_zeros(struct cuda_session *session, uint64_t bytes)
{
    for (uint64_t some; bytes > 0; bytes -= some) {
        some = bytes < session->flush_bytes ? bytes : session->flush_bytes;
        CUDA(cudaMemsetAsync(session->flush, 0, some, session->stream));
    }
}

static void queue_flush(struct timer *timer, const struct timer_job *job)
{
    if (job->flush != FLUSH_NONE)
        cuda_session_flush(timer->session, job->flush == FLUSH_DIRTY);
    if (job->zeroed && timer->session->flush_bytes)
        queue_zeros(timer->session, job->zeroed);
}

static void queue_sample(struct timer *timer, struct timer_job *job, uint32_t index)
{
    cudaStream_t stream = timer->session->stream;
    if (!job->idle)
        queue_flush(timer, job);
    if (job->ahead)
        go_ahead(job, stream);
    if (!job->bare)
        queue_reading(timer, 2 * index);
    CUDA(cudaEventRecord(timer->start[index], stream));
    timer_queue(job, stream);
    CUDA(cudaEventRecord(timer->stop[index], stream));
    if (!job->bare)
        queue_reading(timer, 2 * index + 1);
}

/* SM clock between two readings, in Hz; NaN when they are of two multiprocessors or too close. */
static double clock_between(const struct reading *from, const struct reading *to)
{
    double seconds = 1e-9 * (double)(to->nanoseconds - from->nanoseconds);
    if (from->multiprocessor != to->multiprocessor || !(seconds >= CLOCK_SPAN_MIN))
        return NAN;
    return (double)(to->cycles - from->cycles) / seconds;
}

/* Which job sample i is of: NULL, or one number per sample. */
static int job_of(const unsigned char *version, uint32_t i)
{
    return version ? version[i] : 0;
}

/* When a reading was taken, by clock_now: the last one was when the group had ended. */
static double host_time(const struct timer *timer, const struct reading *reading, const struct reading *last)
{
    return timer->ended - 1e-9 * (double)(last->nanoseconds - reading->nanoseconds);
}

static void read_samples(struct timer *timer, const struct timer_job *jobs, const unsigned char *version,
                         uint32_t count, struct sample *samples)
{
    const struct reading *last = &timer->host[2 * count - 1];
    double whole = clock_between(&timer->host[0], last);
    for (uint32_t i = 0; i < count; i++) {
        float milliseconds = 0;
        CUDA(cudaEventElapsedTime(&milliseconds, timer->start[i], timer->stop[i]));
        const struct timer_job *job = &jobs[job_of(version, i)];
        const struct reading *from = &timer->host[job->bare ? 0 : 2 * i], *to = job->bare ? last : from + 1;
        double own = clock_between(from, to);
        double launches = (job->launches ? job->launches : 1) * (job->replays ? job->replays : 1);
        samples[i] = sample_of((1e-3 * (double)milliseconds - job->overhead) / launches);
        samples[i].sm_clock = isnan(own) ? whole : own;
        watch_tell(timer->watch, host_time(timer, from, last), host_time(timer, to, last), &samples[i]);
    }
}

/* Queue a group behind the block and wait for it. False: the host was so late that the block gave up, and the
 * times are invalid. */
static bool take_group(struct timer *timer, struct timer_job *jobs, const unsigned char *version,
                       uint32_t count)
{
    assert(!jobs->idle || count == 1);
    if (jobs->bare)
        queue_reading(timer, 0);
    if (jobs->replays)
        timer_capture(timer, jobs);
    if (jobs->idle) {
        queue_flush(timer, jobs);
        CUDA(cudaStreamSynchronize(timer->session->stream));
    }
    if (!jobs->unblocked)
        queue_block(timer);
    for (uint32_t i = 0; i < count; i++) {
        queue_sample(timer, &jobs[job_of(version, i)], i);
        if (version) /* launches of two jobs go on over the same sets of buffers */
            jobs[1 - version[i]].turn = jobs[version[i]].turn;
    }
    if (jobs->bare)
        queue_reading(timer, 2 * count - 1);
    CUDA(cudaMemcpyAsync(timer->host, timer->readings, 2 * count * sizeof *timer->host,
                         cudaMemcpyDeviceToHost, timer->session->stream));
    CUDA(cudaEventRecord(timer->done, timer->session->stream));
    watch_begin(timer->watch, jobs->unblocked, jobs->powered);
    timer->gate[0] = timer->ticket; /* go */
    CUDA(cudaEventSynchronize(timer->done));
    timer->ended = clock_now();
    watch_end(timer->watch);
    return jobs->unblocked || timer->gate[1] != timer->ticket;
}

void timer_take_turns(struct timer *timer, struct timer_job *jobs, const unsigned char *version,
                      uint32_t count, struct sample *samples)
{
    jobs->late = !take_group(timer, jobs, version, count);
    if (jobs->late && !jobs->tries) /* libraries may still load code when a group is first queued */
        jobs->late = !take_group(timer, jobs, version, count);
    if (jobs->late && !jobs->tries && jobs->graph && (!version || jobs[1].graph)) {
        jobs->unblocked = true; /* graphs have no gaps for which the host is to blame */
        jobs->late = !take_group(timer, jobs, version, count);
    }
    if (jobs->late && !jobs->tries)
        cuda_fail("the host took over %.0f s to queue a group of samples, twice: the times are invalid",
                  1e-9 * (double)BLOCK_TIMEOUT);
    read_samples(timer, jobs, version, count, samples);
}

void timer_take(struct timer *timer, struct timer_job *job, uint32_t count, struct sample *samples)
{
    timer_take_turns(timer, job, NULL, count, samples);
}
