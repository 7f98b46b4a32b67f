/* stages_pair.c - the stages of two points that are timed together. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "family/versions.h"
#include "worker/phases.h"
#include "worker/referee.h"
#include "worker/settle.h"
#include "worker/stages.h"
#include "statistics/turns.h"

/* The ratio of two versions is told from its own interval, which is narrower than those of the times: what
 * they share cancels. Its target is this much smaller than that of a time. */
#define RATIO_SHARPER 20

struct pair {
    const struct stages *stages;
    struct trial trial[2];
    uint32_t turn;
};

static void hold(const struct pair *pair, int v)
{
    if (pair->stages->backend->hold)
        pair->stages->backend->hold(v);
}

static bool both_ok(const struct pair *pair)
{
    return trial_is_ok(&pair->trial[0]) && trial_is_ok(&pair->trial[1]);
}

/* Quadruples that are taken as one group: as many samples as a back end queues at once. */
enum { GROUP_QUADRUPLES = 16 };

/* Take a group of samples of both, in the order of turns, and add them to the results. */
static void take_group(struct pair *pair, size_t capacity[2], uint32_t quadruples)
{
    const struct backend *backend = pair->stages->backend;
    struct trial *const trials[2] = {&pair->trial[0], &pair->trial[1]};
    unsigned char version[GROUP_QUADRUPLES * TURNS_QUADRUPLE];
    struct sample samples[GROUP_QUADRUPLES * TURNS_QUADRUPLE];
    uint32_t all = quadruples * TURNS_QUADRUPLE, most = backend->take_pair ? trials[0]->group_max : 1;
    for (uint32_t k = 0; k < all; k++)
        version[k] = (unsigned char)turns_version(pair->turn, k);
    for (uint32_t done = 0, count = 0; done < all; done += count) {
        struct trial *trial = trials[version[done]];
        count = all - done < most ? all - done : most;
        trial->comes_second = done % 2;
        hold(pair, version[done]);
        if (backend->take_pair)
            backend->take_pair(trials, version + done, count, samples + done);
        else
            backend->take(trial, 1, samples + done);
        for (uint32_t k = done; k < done + count && both_ok(pair); k++)
            stages_check_sample(trials[version[k]], &samples[k]);
        if (!both_ok(pair))
            return;
        for (uint32_t k = done; k < done + count; k++) {
            struct result *to = trials[version[k]]->result;
            to->samples =
                memory_grow(to->samples, to->sample_count, &capacity[version[k]], sizeof *to->samples);
            to->samples[to->sample_count++] = samples[k];
        }
    }
}

/* The limits of the job, in quadruples: two samples of each point. */
static struct timing timing_of_quadruples(const struct timing *timing)
{
    struct timing t = settle_timing(timing);
    t.target_ci /= RATIO_SHARPER;
    t.max_time *= 2;
    t.max_samples = t.max_samples > 2 ? t.max_samples / 2 : 1;
    t.min_samples = t.min_samples < t.max_samples ? t.min_samples : t.max_samples;
    return t;
}

/* Of a quadruple A B B A or B A A B: drift, and what coming first does, are in both versions and cancel. */
static double quotient_of(const struct pair *pair, size_t i)
{
    const struct sample *a = pair->trial[0].result->samples + 2 * i,
                        *b = pair->trial[1].result->samples + 2 * i;
    return sqrt(b[0].seconds / a[0].seconds * (b[1].seconds / a[1].seconds));
}

/* A pair that takes samples. */
struct taking {
    struct pair *pair;
    size_t capacity[2];
};

static double quadruple_seconds(const struct pair *pair)
{
    const struct trial *trial = pair->trial;
    return 2 * (trial[0].launch_seconds * trial[0].launches + trial[1].launch_seconds * trial[1].launches);
}

/* Whole quadruples. */
static bool take_seconds(void *context, double seconds)
{
    struct taking *taking = context;
    take_group(taking->pair, taking->capacity,
               (uint32_t)fmin(fmax(1, ceil(seconds / quadruple_seconds(taking->pair))), GROUP_QUADRUPLES));
    return both_ok(taking->pair);
}

static bool is_lowered(const struct pair *pair)
{
    const struct result *a = pair->trial[0].result, *b = pair->trial[1].result;
    return settle_is_wanted(pair->stages, a->samples, a->sample_count) ||
           settle_is_wanted(pair->stages, b->samples, b->sample_count);
}

/* Take samples of both until the interval of their ratio is narrow enough, or a limit of the job is
 * reached. */
static void take_together(struct pair *pair)
{
    const struct timing timing = timing_of_quadruples(&pair->trial[0].config->timing);
    struct taking taking = {.pair = pair};
    const struct settling settling = {{&pair->trial[0], &pair->trial[1]}, take_seconds, &taking};
    struct stopping stopping = stopping_start(&timing);
    enum stop_reason stop = STOP_NONE;
    bool settled = false, ok = true;
    uint32_t taken = 0;
    double start = clock_now(), elapsed = 0, burst = 0;
    while (stop == STOP_NONE && ok) {
        uint32_t first = 2 * taken, count;
        if (settled && timing.clock == CLOCK_SUSTAINED) {
            ok = settle_sample_period(&settling, &first);
        } else {
            count = stages_next_group(&timing, GROUP_QUADRUPLES, taken, elapsed);
            count = settle_burst(&timing, settled, quadruple_seconds(pair), count, &burst);
            take_group(pair, taking.capacity, count);
        }
        if (ok && both_ok(pair) && !settled && is_lowered(pair)) {
            settled = true;
            ok = settle(&settling, &stopping, &timing);
            start = clock_now();
            elapsed = burst = 0;
            taken = 0;
            continue;
        }
        if (!ok || !both_ok(pair))
            break;
        count = pair->trial[0].result->sample_count / 2 - taken;
        double step = (clock_now() - start - elapsed) / count;
        for (uint32_t i = 0; i < count && stop == STOP_NONE; i++)
            stop = stopping_add(&stopping, quotient_of(pair, taken + i), elapsed + (i + 1) * step);
        elapsed = clock_now() - start;
        taken += count;
    }
    for (int v = 0; v < 2; v++)
        pair->trial[v].result->stop = stop;
    stopping_free(&stopping);
}

static void arrange_pair(struct pair *pair)
{
    const struct backend *backend = pair->stages->backend;
    struct trial *const trials[2] = {&pair->trial[0], &pair->trial[1]};
    phases_enter(PHASE_arrange);
    if (backend->arrange_pair) {
        backend->arrange_pair(trials);
        return;
    }
    for (int v = 0; v < 2 && backend->arrange; v++) {
        hold(pair, v);
        backend->arrange(trials[v]);
    }
}

/* After the samples: summaries, and what is seen besides times. */
static void conclude(struct pair *pair, int v)
{
    struct trial *trial = &pair->trial[v];
    trial->result->real[REAL_launches] = (double)trial->launches * trial->folded;
    trial->result->real[REAL_buffer_sets] = trial->sets;
    trial->result->protocol_hash = identity_protocol(trial);
    trial->result->paired_with = pair->trial[1 - v].result->id;
    result_summarise(trial->result);
    hold(pair, v);
    struct sample unused; /* what a kernel reports lies in the shared buffers: let it be this version's */
    if (trial->family->observe)
        pair->stages->backend->take(trial, 1, &unused);
    if (trial_is_ok(trial) && pair->stages->backend->observe)
        pair->stages->backend->observe(trial);
}

static void sample_pair(struct pair *pair)
{
    double start = clock_now();
    pair->trial[0].report(pair->trial[0].context, "measure");
    arrange_pair(pair);
    phases_enter(PHASE_sample);
    if (both_ok(pair))
        take_together(pair);
    phases_enter(PHASE_finish);
    for (int v = 0; v < 2 && both_ok(pair); v++)
        conclude(pair, v);
    for (int v = 0; v < 2; v++)
        pair->trial[v].result->real[REAL_seconds_measure] = (clock_now() - start) / 2;
    for (int v = 0; v < 2 && both_ok(pair); v++) {
        hold(pair, v);
        if (referee_judges(&pair->trial[v], pair->stages))
            referee_judge(&pair->trial[v], pair->stages, pair->stages->replicate);
        stages_verify_again(&pair->trial[v], pair->stages);
    }
}

/* A point of a pair that cannot be measured as one. */
static void measure_alone(const struct pair *pair, int v, const char *why)
{
    struct result *result = pair->trial[v].result, fresh = result_fresh(result);
    result_free(result);
    *result = fresh;
    stages_measure(pair->stages, pair->trial[v].point, result);
    if (result->status == STATUS_OK && why)
        snprintf(result->message, sizeof result->message, "timed without its pair: %s", why);
}

/* Load, verify and warm up both. Whether both are ready. */
static bool prepare_pair(struct pair *pair)
{
    bool ok = true;
    for (int k = 0; k < 2 && ok; k++) {
        int v = k ^ turns_first(pair->turn);
        hold(pair, v);
        stages_prepare(&pair->trial[v], pair->stages);
        ok = trial_is_ok(&pair->trial[v]);
    }
    return ok;
}

static int64_t cache_of(const struct trial *trial)
{
    return point_value(trial->point, "cache", trial->config->timing.cache);
}

static const char *why_apart(const struct pair *pair)
{
    char reason[RESULT_MESSAGE_SIZE];
    for (int v = 0; v < 2; v++)
        if (stages_refuse(pair->stages, pair->trial[v].point, reason) != STATUS_OK)
            return "the other point is unsupported or refused";
    struct setup setup[2];
    for (int v = 0; v < 2; v++)
        setup[v] = point_setup(pair->trial[v].point, &pair->stages->target);
    if (cache_of(&pair->trial[0]) != cache_of(&pair->trial[1]))
        return "their states of L2 differ";
    if (harness_of(pair->trial[0].point) != HARNESS_WARPSWEEP ||
        harness_of(pair->trial[1].point) != HARNESS_WARPSWEEP)
        return "a pair is timed as warpsweep does, not as another harness does";
    return versions_share_buffers(&setup[0], &setup[1]) ? NULL : "their buffers differ";
}

static void run_pair(struct pair *pair)
{
    for (int v = 0; v < 2; v++)
        stages_describe(&pair->trial[v]);
    pair->trial[1].seed =
        pair->trial[0].seed; /* the same inputs, also where data_axes tell the points apart */
    if (prepare_pair(pair))
        sample_pair(pair);
    for (int v = 0; v < 2; v++) {
        hold(pair, v);
        if (pair->stages->backend->end)
            pair->stages->backend->end(&pair->trial[v]);
    }
    if (both_ok(pair)) {
        for (int v = 0; v < 2; v++) /* last: no thread computes while a pair is timed */
            stages_predict(&pair->trial[v], pair->stages);
        return;
    }
    for (int v = 0; v < 2; v++) /* the one that has not failed */
        if (trial_is_ok(&pair->trial[v]))
            measure_alone(pair, v, "the other point failed");
}

void stages_measure_pair(const struct stages *stages, uint32_t turn, const struct point *const point[2],
                         struct result *const result[2])
{
    double start = clock_now();
    struct pair pair = {
        .stages = stages,
        .trial = {stages_trial(stages, point[0], result[0]), stages_trial(stages, point[1], result[1])},
        .turn = turn};
    const char *why = why_apart(&pair);
    if (!why)
        run_pair(&pair);
    for (int v = 0; v < 2 && why; v++)
        measure_alone(&pair, v, why);
    hold(&pair, 0);
    for (int v = 0; v < 2; v++)
        result[v]->real[REAL_seconds_total] = (clock_now() - start) / 2;
}
