#include "worker/settle.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "statistics/line.h"
#include "statistics/summary.h"

/* Looks until SETTLE_LONGEST: none is shorter than SETTLE_LOOK. */
enum { LOOKS_MAX = (int)(SETTLE_LONGEST / SETTLE_LOOK) + 1 };

struct looks {
    double time[LOOKS_MAX], clock[LOOKS_MAX]; /* s of load at its end; the logarithm of the clock */
    int count;
};

static int trials_of(const struct settling *s)
{
    return s->trial[1] ? 2 : 1;
}

/* NaN: unknown. */
static double median_clock(const struct sample *samples, uint32_t count)
{
    double *clock = memory_new(count, sizeof *clock);
    size_t known = 0;
    for (uint32_t i = 0; i < count; i++)
        if (isfinite(samples[i].sm_clock))
            clock[known++] = samples[i].sm_clock;
    double median = statistics_of(clock, known).median;
    free(clock);
    return median;
}

bool settle_is_wanted(const struct stages *stages, const struct sample *samples, uint32_t count)
{
    const enum clock_mode mode = stages->config.timing.clock;
    return (mode == CLOCK_SUSTAINED || mode == CLOCK_BOOST) && stages->device &&
           median_clock(samples, count) < CLOCK_LOWERED * stages->device->clock_max;
}

/* Take samples. Returns the s of load; negative: a point has ended. */
static double take_more(const struct settling *s)
{
    uint32_t before[2];
    double seconds = 0;
    for (int v = 0; v < trials_of(s); v++)
        before[v] = s->trial[v]->result->sample_count;
    if (!s->take(s->context, SETTLE_LOOK))
        return -1;
    for (int v = 0; v < trials_of(s); v++)
        for (uint32_t i = before[v]; i < s->trial[v]->result->sample_count; i++)
            seconds += s->trial[v]->result->samples[i].seconds * s->trial[v]->launches;
    return seconds;
}

/* The same until they are of so many s. */
static double take_seconds(const struct settling *s, double wanted)
{
    double seconds = 0, more = 0;
    while (more >= 0 && seconds < wanted) {
        more = take_more(s);
        seconds += more;
    }
    return more < 0 ? more : seconds;
}

static double clock_of(const struct settling *s)
{
    double clock = 0;
    for (int v = 0; v < trials_of(s); v++)
        clock += median_clock(s->trial[v]->result->samples, s->trial[v]->result->sample_count) / trials_of(s);
    return clock;
}

static void forget_samples(const struct settling *s)
{
    for (int v = 0; v < trials_of(s); v++)
        s->trial[v]->result->sample_count = 0;
}

/* How far the clock rises in a period, by the line through the looks of the last one. */
static double rise_of(const struct looks *looks)
{
    struct line line = {0};
    for (int i = looks->count - 1; i >= 0 && looks->time[i] > looks->time[looks->count - 1] - SETTLE_PERIOD;
         i--)
        line_add(&line, looks->time[i], looks->clock[i]);
    return line_slope(&line).value * SETTLE_PERIOD;
}

static void say_settled(const struct settling *s, double loaded, double rise)
{
    for (int v = 0; v < trials_of(s); v++) {
        struct result *result = s->trial[v]->result;
        result->real[REAL_seconds_settle] = loaded;
        if (!(fabs(rise) <= SETTLE_DRIFT) && !result->message[0])
            result_fail(result, STATUS_OK,
                        "after %.2g s of load the SM clock still changes by %+.1f %% a second", loaded,
                        100 * expm1(rise));
    }
}

static bool settle_under_load(const struct settling *s)
{
    struct looks *looks = memory_new(1, sizeof *looks);
    double loaded = 0, rise = INFINITY, more = 0;
    while (more >= 0 && loaded < SETTLE_LONGEST && looks->count < LOOKS_MAX &&
           !(loaded >= SETTLE_PERIOD && fabs(rise) <= SETTLE_DRIFT)) {
        forget_samples(s);
        more = take_seconds(s, SETTLE_LOOK);
        loaded += more;
        looks->time[looks->count] = loaded;
        looks->clock[looks->count++] = log(clock_of(s));
        rise = rise_of(looks);
    }
    if (more >= 0)
        say_settled(s, loaded, rise);
    free(looks);
    return more >= 0;
}

bool settle(const struct settling *s, struct stopping *stopping, const struct timing *timing)
{
    bool ok = true;
    if (timing->clock == CLOCK_BOOST)
        clock_sleep(BOOST_PAUSE);
    else
        ok = settle_under_load(s);
    forget_samples(s);
    stopping_free(stopping);
    *stopping = stopping_start(timing);
    for (int v = 0; v < trials_of(s); v++)
        s->trial[v]->powered = timing->clock == CLOCK_SUSTAINED;
    return ok;
}

/* ---- Sampling whole periods ---- */

static void add_to(struct sample *sum, const struct sample *sample)
{
    sum->sm_clock += sample->sm_clock * sample->seconds; /* cycles */
    sum->seconds += sample->seconds;
    sum->power += sample->power * sample->seconds; /* J */
    sum->throttle_mask = isnan(sum->throttle_mask) || isnan(sample->throttle_mask)
                             ? NAN
                             : (double)((uint64_t)sum->throttle_mask | (uint64_t)sample->throttle_mask);
}

/* Make `most` of the samples, or fewer, of which `together` are one after the other, of a pair's quadruple 2.
 * Returns how many are left. */
static uint32_t fold(struct sample *samples, uint32_t count, uint32_t together, uint32_t most)
{
    struct sample sum[2 * SETTLE_FOLDS];
    uint32_t folds = count / together < most ? count / together : most, left = folds * together,
             each = count / left;
    for (uint32_t i = 0; i < left; i++) {
        sum[i] = (struct sample){.since = NAN};
        for (uint32_t k = 0; k < each; k++)
            add_to(&sum[i], &samples[k * left + i]);
        sum[i].sm_clock /= sum[i].seconds;
        sum[i].power /= sum[i].seconds;
        sum[i].seconds /= each;
    }
    for (uint32_t i = 0; i < left; i++)
        samples[i] = sum[i];
    return left;
}

bool settle_sample_period(const struct settling *s, uint32_t *first)
{
    uint32_t before[2] = {s->trial[0]->result->sample_count,
                          s->trial[trials_of(s) - 1]->result->sample_count};
    const uint32_t together = (uint32_t)trials_of(s), least = SETTLE_FOLDS * together;
    *first = before[0];
    bool ok = take_seconds(s, SETTLE_PERIOD) >= 0;
    while (ok && s->trial[0]->result->sample_count - before[0] < least)
        ok = take_more(s) >= 0;
    if (!ok)
        return false;
    for (int v = 0; v < trials_of(s); v++) {
        struct result *result = s->trial[v]->result;
        uint32_t count = result->sample_count - before[v];
        if (count < together)
            return false;
        uint32_t left = fold(result->samples + before[v], count, together, SETTLE_FOLDS);
        result->sample_count = before[v] + left;
        s->trial[v]->folded = count / left;
    }
    return true;
}

/* ---- Boost and transients ---- */

struct timing settle_timing(const struct timing *timing)
{
    struct timing own = *timing;
    if (timing->clock == CLOCK_BOOST)
        own.max_time = fmin(own.max_time, BOOST_TIME);
    return own;
}

bool settle_transient(const struct settling *s, const struct timing *timing)
{
    struct trial *trial = s->trial[0];
    struct result *result = trial->result;
    uint32_t most = timing->max_samples;
    trial->powered = true;
    clock_sleep(TRANSIENT_PAUSE);
    double start = clock_now(), since = 0;
    while (since < timing->max_time && result->sample_count < most) {
        uint32_t first = result->sample_count;
        if (!s->take(s->context, TRANSIENT_LOOK))
            return false;
        since = clock_now() - start;
        trial->folded = result->sample_count - first;
        result->sample_count = first + fold(result->samples + first, trial->folded, 1, 1);
        result->samples[first].since = since;
    }
    result->stop = since < timing->max_time ? STOP_SAMPLES : STOP_TIME;
    return true;
}
