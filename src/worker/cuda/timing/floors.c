#include "worker/cuda/timing/timing.h"

#include "base/clock.h"
#include "statistics/summary.h"

enum { SAMPLES = 41, NODES = 256 };

/* An idle GPU's clock rises while memory is read: until it has, or for so long. */
#define WARM_SECONDS 0.1
#define WARM_FLUSHES 8 /* between two looks at the clock */

static void no_work(void *context, cudaStream_t stream, uint64_t turn)
{
    (void)stream;
    (void)turn;
    struct cuda_session *session = context;
    cuda_session_launch(session, session->nothing, NULL, false);
}

static void flush_work(void *context, cudaStream_t stream, uint64_t turn)
{
    (void)stream;
    (void)turn;
    cuda_session_flush(context, 0);
}

static void warm_up(struct cuda_session *session, struct timer *timer)
{
    struct timer_job job = {.work = flush_work, .context = session, .launches = WARM_FLUSHES};
    struct sample sample = {.sm_clock = 0};
    double start = clock_now(), risen = CLOCK_LOWERED * session->device.clock_max;
    timer_first(timer, &job);
    while (!(sample.sm_clock >= risen) && clock_now() - start < WARM_SECONDS)
        timer_take(timer, &job, 1, &sample);
}

/* Median seconds of a whole sample. */
static double seconds_of(struct timer *timer, struct timer_job *job)
{
    struct sample samples[SAMPLES];
    double seconds[SAMPLES];
    timer_first(timer, job);
    timer_take(timer, job, 2, samples);
    timer_take(timer, job, SAMPLES, samples);
    for (int i = 0; i < SAMPLES; i++)
        seconds[i] = samples[i].seconds;
    return statistics_of(seconds, SAMPLES).median * (job->launches ? job->launches : 1);
}

static double graph_of(struct timer *timer, struct timer_job *job, uint32_t launches)
{
    job->launches = launches;
    timer_capture(timer, job);
    double seconds = seconds_of(timer, job);
    timer_release(job);
    return seconds;
}

struct floors floors_measure(struct cuda_session *session, struct timer *timer)
{
    struct timer_job job = {.work = no_work, .context = session};
    struct floors floors;
    warm_up(session, timer);
    floors.events = seconds_of(timer, &job);
    job.launches = 1;
    floors.launch = seconds_of(timer, &job);
    double graph = graph_of(timer, &job, 1);
    floors.node = (graph_of(timer, &job, NODES) - graph) / (NODES - 1);
    floors.single = floors.launch - floors.node;
    floors.graph = graph - floors.node;
    return floors;
}
