#include "worker/referee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "statistics/summary.h"
#include "worker/phases.h"

/* A launch that finds nothing may take this much longer than one that finds its results: of its time, and of
 * what TLBs make of two launches of one kernel. Copies of 1 MiB take 2.42 and 2.52 us on an H200. */
#define MARGIN 0.02
#define LEAST  0.2e-6 /* s */

/* Samples that a kernel scatters on purpose excuse no more than this. */
#define SPREAD_MAX 0.25

/* Pairs of launches that must show a difference before it counts. A single pair decides whether they are
 * taken. */
#define CONFIRMATIONS 15

/* Launches of each kind that do not count, because another program may have disturbed them. By chance,
 * without a difference, the others are apart in 226 of 155,117,520 orders; of nine pairs, in 82 of 48,620. */
#define DISTURBED 1

/* s: a launch alone meets an L2 that is full of modified lines: those of an H100, 24 MiB, take 7 us to write
 * (docs/method/measurement.md). In a launch of this length that is less than the margin. */
#define LONG 350e-6

struct times {
    double known, unknown; /* s, of a launch that finds its results, and of one that does not */
};

static uint64_t random_bits(void)
{
    uint64_t bits;
    if (getrandom(&bits, sizeof bits, 0) != sizeof bits)
        bits = (uint64_t)clock_now();
    return bits;
}

uint64_t referee_seed(const struct point *point)
{
    static uint64_t secret;
    if (!secret)
        secret = random_bits();
    return hash_u64(hash_u64(HASH_START, secret), family_data_key(point));
}

bool referee_picks_now(void)
{
    return random_bits() & 1;
}

bool referee_compares(const struct point *point, const struct setup *setup)
{
    return (setup->engine == ENGINE_KERNEL || setup->engine == ENGINE_CALL) &&
           setup_has_role(setup, BUFFER_OUTPUT) && !setup_has_parts(setup) &&
           family_devices(point).count <= 1 && !setup->in_a_row;
}

bool referee_judges(const struct trial *trial, const struct stages *stages)
{
    bool is_reference = stages->backend->traits.is_host && trial->setup.engine == ENGINE_KERNEL;
    return stages->backend->renew && !is_reference && referee_compares(trial->point, &trial->setup);
}

/* Inputs in memory of the host take as long to fill as many launches: they stay. */
static bool can_change_inputs(const struct setup *setup)
{
    for (int b = 0; b < setup->buffers; b++)
        if (setup->buffer[b].on_host && setup->buffer[b].role != BUFFER_OUTPUT)
            return false;
    return true;
}

/* One launch on inputs of trial->seed. Both kinds come behind a fill of the inputs, which leaves the same
 * pages in the TLBs. */
static double take(struct trial *trial, const struct backend *backend, bool poison)
{
    struct sample sample = {.seconds = NAN};
    enum phase before = phases_enter(PHASE_launch);
    if (trial_is_ok(trial))
        backend->renew(trial, poison);
    if (trial_is_ok(trial))
        backend->take_single(trial, &sample);
    phases_leave(before);
    return sample.seconds;
}

/* A launch that finds neither results nor inputs. */
static double take_unknown(struct trial *trial, const struct backend *backend, uint64_t seed)
{
    if (can_change_inputs(&trial->setup))
        trial->seed = seed;
    return take(trial, backend, true);
}

/* The second of two launches on the inputs of the samples: it finds what the first has left, for the kernel
 * to keep, and these inputs may be special to it. */
static double take_known(struct trial *trial, const struct backend *backend, uint64_t seed)
{
    trial->seed = seed;
    take(trial, backend, false);
    return take(trial, backend, false);
}

/* The median of the samples so far, and their spread relative to it: 5th to 95th percentile. */
static double median_of(const struct result *result, double *spread)
{
    size_t count = result->sample_count;
    double *seconds = memory_new(count + 1, sizeof *seconds);
    for (size_t i = 0; i < count; i++)
        seconds[i] = result->samples[i].seconds;
    struct statistics of = statistics_of(seconds, count);
    free(seconds);
    *spread = fmin((of.p95 - of.p05) / of.median, SPREAD_MAX);
    return of.median;
}

static bool is_longer(struct times times, double margin)
{
    return times.unknown > times.known * (1 + margin) + LEAST;
}

/* Adds a value to the smallest of those before it, DISTURBED + 1 in order; returns the last of them. */
static double among_smallest(double smallest[DISTURBED + 1], double value)
{
    for (int i = 0; i <= DISTURBED; i++)
        if (value < smallest[i]) {
            double larger = smallest[i];
            smallest[i] = value;
            value = larger;
        }
    return smallest[DISTURBED];
}

/* Whether each launch that finds nothing is longer than each that finds its results, but for disturbed ones.
 * `times`: the pair that is named. */
static bool confirm(struct trial *trial, const struct backend *backend, uint64_t seed, struct times *times)
{
    double known[DISTURBED + 1], unknown[DISTURBED + 1]; /* known: negative, so that the longest come first */
    for (int i = 0; i <= DISTURBED; i++)
        known[i] = unknown[i] = INFINITY;
    for (int i = 0; i < CONFIRMATIONS; i++) {
        times->known = -among_smallest(known, -take_known(trial, backend, seed));
        times->unknown = among_smallest(unknown, take_unknown(trial, backend, random_bits()));
        if (!trial_is_ok(trial) || (i >= DISTURBED && !is_longer(*times, MARGIN)))
            return false;
    }
    return true;
}

/* Are samples what a launch is compared with at first, which finds its results and empty caches? Then one
 * launch is enough where it is no longer. It would be, beside those that find full caches. Those of a lowered
 * clock are longer: it has risen since. Those of another harness have its overhead. */
static bool samples_are_known(const struct trial *trial, double median)
{
    return trial->harness == HARNESS_WARPSWEEP && trial->folded == 1 && trial->cache == CACHE_COLD &&
           (median > LONG || trial->launches == 1);
}

/* Does one launch that finds nothing take longer than samples do and, as they may have found fuller TLBs,
 * than one that finds its results behind a fill? */
static bool may_depend(struct trial *trial, const struct backend *backend, uint64_t seed, struct times *times,
                       double spread, bool of_samples)
{
    if (!trial_is_ok(trial) || !is_longer(*times, MARGIN + spread))
        return false;
    if (of_samples)
        times->known = take_known(trial, backend, seed);
    return trial_is_ok(trial) && is_longer(*times, MARGIN);
}

/* `median`, `spread`: of the samples. */
static void judge(struct trial *trial, const struct stages *stages, double median, double spread)
{
    const struct backend *backend = stages->backend;
    const uint64_t seed = trial->seed;
    const bool of_samples = samples_are_known(trial, median);
    struct times times = {.known = of_samples ? median : take(trial, backend, false)};
    times.unknown =
        take_unknown(trial, backend, stages->replicate ? random_bits() : referee_seed(trial->point));
    if (trial_is_ok(trial) && !stages->replicate)
        backend->compare(trial);
    if (may_depend(trial, backend, seed, &times, spread, of_samples) && confirm(trial, backend, seed, &times))
        trial_fail(trial,
                   "its time depends on what is in its outputs: a launch that finds its results there takes "
                   "%.3g s, one that finds others, and other inputs, at least %.3g s",
                   times.known, times.unknown);
}

void referee_judge(struct trial *trial, const struct stages *stages, bool last)
{
    double start = clock_now(), spread, median = median_of(trial->result, &spread);
    struct result scratch = result_fresh(trial->result);
    struct trial own = *trial;
    enum phase before = phases_enter(PHASE_compare);
    own.result = &scratch;
    judge(&own, stages, median, spread);
    if (trial_is_ok(&own) && !last) {
        own.seed = trial->seed;
        stages->backend->renew(&own, false);
    }
    if (!trial_is_ok(&own)) {
        struct result failed = result_fresh(trial->result);
        result_fail(&failed, scratch.status, "the referee: %.*s", RESULT_MESSAGE_SIZE - 20, scratch.message);
        result_free(trial->result);
        *trial->result = failed; /* without times */
    }
    result_free(&scratch);
    phases_leave(before);
    trial->result->real[REAL_seconds_verify] += clock_now() - start;
}
