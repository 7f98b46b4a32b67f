#include "worker/settle.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "family/family.h"
#include "statistics/line.h"
#include "statistics/summary.h"
#include "worker/phases.h"

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

/* How far the clock rises in the last SETTLE_LEAST, by a line through its looks. */
static double rise_of(const struct looks *looks)
{
    struct line line = {0};
    for (int i = looks->count - 1; i >= 0 && looks->time[i] > looks->time[looks->count - 1] - SETTLE_LEAST;
         i--)
        line_add(&line, looks->time[i], looks->clock[i]);
    return line_slope(&line).value * SETTLE_LEAST;
}

static void say_loaded(const struct settling *s, double loaded)
{
    for (int v = 0; v < trials_of(s); v++)
        s->trial[v]->result->real[REAL_seconds_settle] = loaded;
}

static void say_drifting(const struct settling *s, double loaded, double drift)
{
    for (int v = 0; v < trials_of(s); v++)
        result_remark(s->trial[v]->result,
                      "after %.2g s of load the SM clock still changes by %+.1f %% a second", loaded,
                      100 * expm1(drift) / SETTLE_PERIOD);
}

static void rest(double seconds)
{
    enum phase before = phases_enter(PHASE_rest);
    clock_sleep(seconds);
    phases_leave(before);
}

static bool settle_under_load(const struct settling *s)
{
    struct looks *looks = memory_new(1, sizeof *looks);
    double loaded = 0, rise = INFINITY, more = 0;
    while (more >= 0 && loaded < SETTLE_LONGEST && looks->count < LOOKS_MAX &&
           !(loaded >= SETTLE_LEAST && fabs(rise) <= SETTLE_FALL)) {
        forget_samples(s);
        more = take_seconds(s, SETTLE_LOOK);
        loaded += more;
        looks->time[looks->count] = loaded;
        looks->clock[looks->count++] = log(clock_of(s));
        rise = rise_of(looks);
    }
    if (more >= 0)
        say_loaded(s, loaded);
    free(looks);
    return more >= 0;
}

static bool settle_at_rest(const struct settling *s)
{
    static bool loaded;
    bool sparse = false;
    for (int v = 0; v < trials_of(s); v++)
        sparse = sparse || point_is_sparse(s->trial[v]->point);
    bool ok = take_seconds(s, settle_sparse_load(&loaded, sparse)) >= 0;
    rest(BOOST_PAUSE);
    return ok;
}

bool settle(const struct settling *s, struct stopping *stopping, const struct timing *timing)
{
    bool ok = timing->clock == CLOCK_BOOST ? settle_at_rest(s) : settle_under_load(s);
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
    assert(count >= together);
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

/* How far the clock rises over samples, by a line through them. */
static double drift_of(const struct sample *samples, uint32_t count)
{
    struct line line = {0};
    double at = 0, whole = 0;
    for (uint32_t i = 0; i < count; i++) {
        at = whole + samples[i].seconds / 2;
        whole += samples[i].seconds;
        line_add(&line, at, log(samples[i].sm_clock));
    }
    return line_slope(&line).value * whole;
}

/* Append samples of a period. How far the clock rises in it; infinite: a point has ended. */
static double take_period(const struct settling *s, const uint32_t before[2])
{
    struct result *first = s->trial[0]->result;
    for (int v = 0; v < trials_of(s); v++)
        s->trial[v]->result->sample_count = before[v];
    double more = take_seconds(s, SETTLE_PERIOD);
    while (more >= 0 && first->sample_count - before[0] < (uint32_t)(SETTLE_FOLDS * trials_of(s)))
        more = take_more(s);
    return more < 0 ? INFINITY : drift_of(first->samples + before[0], first->sample_count - before[0]);
}

bool settle_sample_period(const struct settling *s, uint32_t *first)
{
    const uint32_t together = (uint32_t)trials_of(s),
                   before[2] = {s->trial[0]->result->sample_count,
                                s->trial[together - 1]->result->sample_count};
    double *loaded = &s->trial[0]->result->real[REAL_seconds_settle], drift = take_period(s, before);
    *first = before[0];
    while (isfinite(drift) && fabs(drift) > SETTLE_DRIFT && *loaded + SETTLE_PERIOD <= SETTLE_LONGEST) {
        say_loaded(s, *loaded + SETTLE_PERIOD);
        drift = take_period(s, before);
    }
    if (isinf(drift))
        return false;
    if (fabs(drift) > SETTLE_DRIFT)
        say_drifting(s, *loaded + SETTLE_PERIOD, drift);
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

double settle_sparse_load(bool *loaded, bool sparse)
{
    double load = sparse && !*loaded ? BOOST_SPARSE : 0;
    *loaded |= sparse;
    return load;
}

struct timing settle_timing(const struct timing *timing)
{
    struct timing own = *timing;
    if (timing->clock == CLOCK_BOOST)
        own.max_time = fmin(own.max_time, BOOST_TIME);
    return own;
}

uint32_t settle_burst(const struct timing *timing, bool lowered, double seconds, uint32_t count,
                      double *spent)
{
    if (timing->clock != CLOCK_BOOST)
        return count;
    if (lowered && *spent > 0 && *spent + seconds > BOOST_TIME) {
        rest(BOOST_PAUSE);
        *spent = 0;
    }
    double fits = fmax(1, floor((BOOST_TIME - (lowered ? *spent : 0)) / seconds));
    count = fits < count ? (uint32_t)fits : count;
    *spent += count * seconds;
    return count;
}

bool settle_transient(const struct settling *s, const struct timing *timing)
{
    struct trial *trial = s->trial[0];
    struct result *result = trial->result;
    uint32_t most = timing->max_samples;
    trial->powered = true;
    rest(TRANSIENT_PAUSE);
    double start = clock_now(), since = 0;
    while (since < timing->max_time && result->sample_count < most) {
        uint32_t first = result->sample_count;
        if (!s->take(s->context, fmin(fmax(TRANSIENT_LOOK, TRANSIENT_SHARE * since), TRANSIENT_MOST)))
            return false;
        since = clock_now() - start;
        trial->folded = result->sample_count - first;
        result->sample_count = first + fold(result->samples + first, trial->folded, 1, 1);
        result->samples[first].since = since;
    }
    result->stop = since < timing->max_time ? STOP_SAMPLES : STOP_TIME;
    return true;
}
