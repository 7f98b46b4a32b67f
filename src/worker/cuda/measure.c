#include "worker/cuda/measure.h"

#include <math.h>

#include "base/clock.h"
#include "worker/cuda/error.h"
#include "worker/cuda/launch.h"
#include "worker/cuda/placing.h"

#define SHORT_LAUNCH  10e-6  /* s: a shorter one is timed in batches */
#define BATCH_SECONDS 100e-6 /* a batch lasts about this long */
enum { BATCH_MAX = 64 };

#define WARM_ROUND   1e-3 /* s of work between two looks at the clock */
#define WARM_LONGEST 0.5  /* s after which the clock is taken as it is */
#define CLOCK_RISEN  0.98 /* of the highest SM clock */
#define CLOCK_STEADY 1.01 /* rising by less than this a round is steady */

/* Behind a block these would wait for ever: copies of pageable memory wait for the device within the call,
 * and a launch of many parts may fill the queue. Such a launch is long, and the host far ahead of the link.
 */
static bool waits_for_device(const struct cuda_point *p)
{
    if (p->setup.engine == ENGINE_HOST_COPY && p->setup.host_copy.chunks > 1)
        return true;
    for (int b = 0; b < p->setup.buffers; b++)
        if (p->setup.buffer[b].pageable)
            return true;
    return false;
}

void cuda_measure_warm_up(struct timer *timer, struct cuda_point *p, struct trial *trial)
{
    struct timer_job job = {
        .work = cuda_point_launch, .context = p, .batch = 1, .unblocked = waits_for_device(p)};
    struct sample samples[3];
    timer_take(timer, &job, 3, samples, NULL); /* the first launch pays for loading the code */
    double start = clock_now(), launch = fmin(samples[1].seconds, samples[2].seconds), last = 0;
    double clock_max = p->session->device.clock_max;
    for (;;) {
        double launches = ceil(WARM_ROUND / 2 / fmax(launch, 1e-7));
        job.batch = launches < 200 ? (uint32_t)launches : 200;
        timer_take(timer, &job, 2, samples, NULL);
        launch = fmin(samples[0].seconds, samples[1].seconds);
        double clock = samples[1].sm_clock;
        trial->launch_seconds = launch;
        if (clock >= CLOCK_RISEN * clock_max || clock_now() - start > WARM_LONGEST)
            return;
        if (clock < CLOCK_STEADY * last && clock_now() - start > 20 * WARM_ROUND)
            return;
        last = isnan(clock) ? last : clock;
    }
}

/* How many launches make a sample, and over how many sets of buffers they walk. A cold batch needs a set for
 * each of its launches: what one launch touches is then cold for all. */
void cuda_measure_arrange(struct cuda_point *p, struct trial *trial, struct timer_job *job)
{
    uint64_t l2 = p->session->device.l2_bytes > 0 ? (uint64_t)p->session->device.l2_bytes : 0;
    uint32_t sets = 1;
    *job = (struct timer_job){
        .work = cuda_point_launch, .context = p, .batch = 1, .unblocked = waits_for_device(p)};
    if (trial->launch_seconds < SHORT_LAUNCH) {
        double launches = ceil(BATCH_SECONDS / fmax(trial->launch_seconds, 1e-7));
        job->batch = launches < BATCH_MAX ? (uint32_t)launches : BATCH_MAX;
    }
    if (trial->cache == CACHE_COLD)
        sets = job->batch;
    else if (trial->cache == CACHE_ROTATE)
        sets = (uint32_t)(2 * l2 / p->set_bytes) + 2;
    if (sets > 1)
        cuda_point_place(p, sets);
    if (trial->cache == CACHE_COLD && job->batch > p->sets)
        job->batch = p->sets; /* memory was short */
    job->flush = trial->cache == CACHE_COLD;
    trial->launches = job->batch;
    trial->sets = p->sets;
    trial->group_most = timer_group_limit(job);
}

/* Hand the report buffer of the last set to the family; fills the latency columns. */
static void read_report(struct cuda_point *p, int b, uint32_t set, struct result *result)
{
    struct observation seen = {NAN, NAN, NAN};
    uint64_t bytes = cuda_point_bytes(p, b);
    if (bytes > CUDA_STAGING_BYTES)
        cuda_fail("a report of %llu bytes is too long", (unsigned long long)bytes);
    CUDA(cudaMemcpyAsync(p->session->staging, cuda_point_buffer(p, set, b), bytes, cudaMemcpyDeviceToHost,
                         p->session->stream));
    CUDA(cudaStreamSynchronize(p->session->stream));
    p->family->observe(p->point, &p->setup, p->session->staging, &seen);
    result->real[REAL_latency_p05] = seen.latency_p05;
    result->real[REAL_latency_p50] = seen.latency_p50;
    result->real[REAL_latency_p95] = seen.latency_p95;
    result->real[REAL_latency_seconds] = seen.latency_p50 / result->real[REAL_sm_clock];
}

void cuda_measure_observe(struct cuda_point *p, const struct timer_job *job, struct result *result)
{
    struct nvml_state state = nvml_read(p->session->nvml);
    result->throttle |= state.reasons;
    result->real[REAL_temperature] = state.temperature;
    result->real[REAL_power] = state.power;
    for (int b = 0; b < p->setup.buffers; b++)
        if (p->setup.buffer[b].role == BUFFER_REPORT && p->family->observe)
            read_report(p, b, (uint32_t)((job->turn - 1) % p->sets), result);
}
