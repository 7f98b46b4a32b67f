#include "worker/cuda/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "worker/stopping.h"

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

double cuda_measure_warm_up(struct timer *timer, struct cuda_point *p)
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
        if (clock >= CLOCK_RISEN * clock_max || clock_now() - start > WARM_LONGEST)
            return launch;
        if (clock < CLOCK_STEADY * last && clock_now() - start > 20 * WARM_ROUND)
            return launch;
        last = isnan(clock) ? last : clock;
    }
}

/* How many launches make a sample, and over how many sets of buffers they walk. A cold batch needs a set for
 * each of its launches: what one launch touches is then cold for all. */
static void choose_sampling(struct cuda_point *p, double launch_seconds, struct timer_job *job)
{
    enum cache_mode cache = (enum cache_mode)point_value(p->point, "cache", CACHE_COLD);
    uint64_t l2 = p->session->device.l2_bytes > 0 ? (uint64_t)p->session->device.l2_bytes : 0;
    uint32_t sets = 1;
    job->batch = 1;
    if (launch_seconds < SHORT_LAUNCH) {
        double launches = ceil(BATCH_SECONDS / fmax(launch_seconds, 1e-7));
        job->batch = launches < BATCH_MAX ? (uint32_t)launches : BATCH_MAX;
    }
    if (cache == CACHE_COLD)
        sets = job->batch;
    else if (cache == CACHE_ROTATE)
        sets = (uint32_t)(2 * l2 / p->set_bytes) + 2;
    if (sets > 1)
        cuda_point_place(p, sets);
    if (cache == CACHE_COLD && job->batch > p->sets)
        job->batch = p->sets; /* memory was short */
    job->flush = cache == CACHE_COLD;
}

/* Samples of the next group: ten first, then half as many as there are, as far as queue and time allow. */
static uint32_t next_group(const struct timer_job *job, const struct timing *timing, uint32_t taken,
                           double elapsed)
{
    uint32_t count = taken ? taken / 2 : timing->min_samples;
    uint32_t limit = timer_group_limit(job);
    if (taken && elapsed > 0) {
        double fits = ceil((timing->max_time - elapsed) / (elapsed / taken));
        if (fits < count)
            count = fits < 1 ? 1 : (uint32_t)fits;
    }
    if (taken + count > timing->max_samples)
        count = timing->max_samples - taken;
    return count < 1 ? 1 : count > limit ? limit : count;
}

void cuda_measure_sample(struct timer *timer, struct cuda_point *p, double launch_seconds,
                         struct result *result)
{
    const struct timing *timing = &p->session->config.timing;
    struct timer_job job = {.work = cuda_point_launch, .context = p, .unblocked = waits_for_device(p)};
    struct stopping stopping = stopping_start(timing, result->id);
    size_t capacity = 0;
    double start, elapsed = 0;
    choose_sampling(p, launch_seconds, &job);
    start = clock_now();
    while (result->stop == STOP_NONE) {
        uint32_t count = next_group(&job, timing, result->sample_count, elapsed);
        while (result->sample_count + count > capacity)
            result->samples = memory_grow(result->samples, capacity, &capacity, sizeof *result->samples);
        struct sample *samples = result->samples + result->sample_count;
        timer_take(timer, &job, count, samples, &result->throttle);
        double step = (clock_now() - start - elapsed) / count;
        for (uint32_t i = 0; i < count && result->stop == STOP_NONE; i++)
            result->stop = stopping_add(&stopping, samples[i].seconds, elapsed + (i + 1) * step);
        elapsed = clock_now() - start;
        result->sample_count += count;
    }
    stopping_free(&stopping);
    uint32_t last_set = (uint32_t)((job.turn - 1) % p->sets);
    result->real[REAL_launches] = job.batch;
    result->real[REAL_buffer_sets] = p->sets;
    struct nvml_state state = nvml_read(p->session->nvml);
    result->throttle |= state.reasons;
    result->real[REAL_temperature] = state.temperature;
    result->real[REAL_power] = state.power;
    result_summarise(result, result->id);
    cuda_point_observe(p, last_set, result);
}
