#include "worker/sampling.h"

#include <assert.h>
#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "worker/stopping.h"

/* Size of the next group: the minimum at first, then half of the samples so far; limited by max_samples, max_time and
 * group_max. */
static uint32_t next_group(const struct trial *trial, uint32_t taken, double elapsed)
{
    const struct timing *timing = &trial->config->timing;
    uint32_t count = taken ? (taken + 1) / 2 : stopping_min(timing);
    if (taken && elapsed > 0) {
        double fits = ceil((timing->max_time - elapsed) / (elapsed / taken));
        if (fits < count)
            count = fits < 1 ? 1 : (uint32_t)fits;
    }
    if (taken + count > timing->max_samples)
        count = timing->max_samples - taken;
    return count < 1 ? 1 : count > trial->group_max ? trial->group_max : count;
}

void sampling_run(struct trial *trial, sampling_take take)
{
    struct result *result = trial->result;
    struct stopping stopping = stopping_start(&trial->config->timing);
    size_t capacity = 0;
    double start = clock_now(), elapsed = 0;
    while (result->stop == STOP_NONE) {
        uint32_t count = next_group(trial, result->sample_count, elapsed);
        while (result->sample_count + count > capacity)
            result->samples = memory_grow(result->samples, capacity, &capacity, sizeof *result->samples);
        assert(count >= 1 && count <= trial->group_max);
        struct sample *samples = result->samples + result->sample_count;
        take(trial, count, samples);
        if (result->status != STATUS_OK)
            break;
        double step = (clock_now() - start - elapsed) / count;
        for (uint32_t i = 0; i < count && result->stop == STOP_NONE; i++)
            result->stop = stopping_add(&stopping, samples[i].seconds, elapsed + (i + 1) * step);
        elapsed = clock_now() - start;
        result->sample_count += count;
    }
    stopping_free(&stopping);
}
