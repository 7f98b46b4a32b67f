#include "worker/stages.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/thread.h"
#include "family/access/model.h"
#include "family/family.h"
#include "family/time/roof.h"
#include "family/versions.h"
#include "worker/machine.h"
#include "worker/phases.h"
#include "worker/referee.h"
#include "worker/settle.h"
#include "worker/verify.h"

uint64_t trial_seed(const struct config *config, const struct point *point)
{
    return hash_u64(hash_u64(HASH_START, config->seed), family_data_key(point));
}

/* Run an optional stage, unless the point has ended. */
static void run_stage(struct trial *trial, void (*stage)(struct trial *), const char *name, enum phase phase,
                      enum result_real seconds)
{
    double start = clock_now();
    if (!stage || !trial_is_ok(trial))
        return;
    trial->report(trial->context, name);
    enum phase before = phases_enter(phase);
    stage(trial);
    phases_leave(before);
    trial->result->real[seconds] = clock_now() - start;
}

/* Share of L2's lines that are dirty at the start of a launch; NaN: as many as the point's own launches
 * leave. */
static double dirty_at_start(const struct trial *trial)
{
    switch (trial->cache) {
    case CACHE_COLD:
        return trial->launches > 1 ? NAN : 1;
    case CACHE_CLEAN:
        return 0;
    default:
        return NAN;
    }
}

/* The prediction of a point: computed by a thread during sampling if the back end allows threads, else after
 * it. */
struct predicting {
    const struct trial *trial; /* its launches, point and setup no longer change */
    double dirty;              /* from dirty_at_start */
    struct prediction prediction;
    bool known; /* the access model knows the accesses */
    pthread_t thread;
    bool started;
};

/* A back end that makes its results up, and a replicate, need none. */
static bool predicts(const struct stages *stages)
{
    return !stages->backend->traits.makes_up && !stages->replicate;
}

static void *predict(void *argument)
{
    struct predicting *p = argument;
    p->dirty = dirty_at_start(p->trial);
    p->known = model_predict(p->trial->point, &p->trial->setup, &p->trial->target, p->dirty, &p->prediction);
    return NULL;
}

/* Fill what the access model knows, and the state of L2 for counting. */
static void finish_prediction(struct predicting *p, struct trial *trial)
{
    double *real = trial->result->real;
    if (p->started)
        pthread_join(p->thread, NULL);
    else
        predict(p);
    inputs_fill(trial->result, trial->point, &trial->setup, &trial->target, &p->prediction, p->known);
    if (trial->cache == CACHE_HOT)
        return;
    double stored = real[REAL_bytes_written] / (real[REAL_bytes_read] + real[REAL_bytes_written]);
    double left = isnan(p->prediction.dirty_left) ? stored : p->prediction.dirty_left;
    real[REAL_l2_dirty] = isnan(p->dirty) ? left : p->dirty;
}

uint32_t stages_next_group(const struct timing *timing, uint32_t most, uint32_t taken, double elapsed)
{
    uint32_t count = taken ? (taken + 1) / 2 : config_samples_min(timing);
    if (taken && elapsed > 0) {
        double fits = ceil((timing->max_time - elapsed) / (elapsed / taken));
        if (fits < count)
            count = fits < 1 ? 1 : (uint32_t)fits;
    }
    if (taken + count > timing->max_samples)
        count = timing->max_samples - taken;
    if (count < 1)
        return 1;
    return count > most ? most : count;
}

void stages_check_sample(struct trial *trial, const struct sample *sample)
{
    if (sample->seconds > 0 && isfinite(sample->seconds))
        return;
    trial_fail(trial, "a launch took %.4g s by a sample of %u, less %.4g s for timing it: impossible",
               sample->seconds, trial->launches, fmax(trial->result->real[REAL_overhead], 0));
}

/* A trial that takes samples. */
struct taking {
    struct trial *trial;
    const struct backend *backend;
    size_t capacity; /* of the result's samples */
};

/* Append `count` samples. False: the point has ended. */
static bool take_group(struct taking *taking, uint32_t count)
{
    struct trial *trial = taking->trial;
    struct result *result = trial->result;
    assert(count >= 1 && count <= trial->group_max);
    while (result->sample_count + count > taking->capacity)
        result->samples =
            memory_grow(result->samples, taking->capacity, &taking->capacity, sizeof *result->samples);
    struct sample *samples = result->samples + result->sample_count;
    taking->backend->take(trial, count, samples);
    for (uint32_t i = 0; i < count && trial_is_ok(trial); i++)
        stages_check_sample(trial, &samples[i]);
    if (trial_is_ok(trial))
        result->sample_count += count;
    return trial_is_ok(trial);
}

static bool take_seconds(void *context, double seconds)
{
    struct taking *taking = context;
    const struct trial *trial = taking->trial;
    double count = ceil(seconds / (trial->launch_seconds * trial->launches));
    return take_group(taking, count < trial->group_max ? (uint32_t)fmax(count, 1) : trial->group_max);
}

/* The referee may judge at any moment between two groups. False: the point has ended. */
static bool judge_now(struct taking *taking, const struct stages *stages)
{
    struct trial *trial = taking->trial;
    referee_judge(trial, stages, false);
    bool flushed = trial->cache == CACHE_COLD || trial->cache == CACHE_CLEAN;
    if (trial_is_ok(trial) && !flushed) /* its launches have left other caches */
        taking->backend->take(trial, 1, &(struct sample){0});
    return trial_is_ok(trial);
}

/* Take samples in groups until the stopping rule ends sampling: of a lowered clock in whole periods, after it
 * has settled. Fills the result's samples and stop reason. Returns early if the back end ends the point.
 * False: the referee has not judged it yet. */
static bool take_samples(struct trial *trial, const struct stages *stages)
{
    struct result *result = trial->result;
    struct taking taking = {trial, stages->backend, 0};
    const struct settling settling = {{trial, NULL}, take_seconds, &taking};
    const struct timing timing = settle_timing(&trial->config->timing);
    struct stopping stopping = stopping_start(&timing);
    bool judged = !referee_judges(trial, stages), settled = false;
    double start = clock_now(), elapsed = 0, burst = 0;
    if (timing.clock == CLOCK_TRANSIENT)
        settle_transient(&settling, &timing);
    while (result->stop == STOP_NONE && trial_is_ok(trial)) {
        uint32_t first = result->sample_count, count;
        bool ok;
        if (settled && timing.clock == CLOCK_SUSTAINED) {
            ok = settle_sample_period(&settling, &first);
        } else {
            count = stages_next_group(&timing, trial->group_max, first, elapsed);
            count = settle_burst(&timing, settled, trial->launch_seconds * trial->launches, count, &burst);
            ok = take_group(&taking, count);
        }
        count = result->sample_count - first;
        if (ok && !settled && settle_is_wanted(stages, result->samples + first, count)) {
            settled = true;
            ok = settle(&settling, &stopping, &timing);
            start = clock_now();
            elapsed = burst = 0;
            if (ok)
                continue;
        }
        if (!ok)
            break;
        double step = (clock_now() - start - elapsed) / count;
        for (uint32_t i = 0; i < count && result->stop == STOP_NONE; i++)
            result->stop =
                stopping_add(&stopping, result->samples[first + i].seconds, elapsed + (i + 1) * step);
        if (!judged && !settled && result->stop == STOP_NONE && referee_picks_now()) {
            judged = true;
            if (!judge_now(&taking, stages))
                break;
        }
        elapsed = clock_now() - start;
    }
    stopping_free(&stopping);
    return judged;
}

static void sample(struct trial *trial, const struct stages *stages, struct predicting *predicting)
{
    const struct backend *backend = stages->backend;
    phases_enter(PHASE_arrange);
    if (backend->arrange)
        backend->arrange(trial);
    if (!trial_is_ok(trial))
        return;
    if (predicts(stages) && trial->threads_allowed)
        predicting->started = thread_start(&predicting->thread, predict, predicting) == 0;
    assert(trial->launches >= 1 && trial->sets >= 1 && trial->group_max >= 1);
    phases_enter(PHASE_sample);
    bool judged = take_samples(trial, stages);
    phases_enter(PHASE_finish);
    if (!trial_is_ok(trial))
        return;
    trial->result->real[REAL_launches] = (double)trial->launches * trial->folded;
    trial->result->real[REAL_buffer_sets] = trial->sets;
    trial->result->protocol_hash = identity_protocol(trial);
    result_summarise(trial->result);
    if (backend->observe)
        backend->observe(trial);
    if (judged || !trial_is_ok(trial))
        return;
    referee_judge(trial, stages, stages->replicate);
    /* It has renewed the inputs: stages_verify_again finds what this launch makes of them. */
    phases_enter(PHASE_launch);
    if (trial_is_ok(trial) && !stages->replicate)
        backend->take_single(trial, &(struct sample){0});
}

void stages_verify_again(struct trial *trial, const struct stages *stages)
{
    struct result *result = trial->result, failed;
    double before = result->real[REAL_seconds_verify];
    if (stages->replicate || !trial_is_ok(trial))
        return;
    run_stage(trial, stages->backend->verify, "verify", PHASE_compare, REAL_seconds_verify);
    result->real[REAL_seconds_verify] += before;
    if (trial_is_ok(trial))
        return;
    failed = result_fresh(result);
    result_fail(&failed, result->status, "after the last sample: %.*s", RESULT_MESSAGE_SIZE - 30,
                result->message);
    result_free(result);
    *result = failed; /* without times */
}

static void time_samples(struct trial *trial, const struct stages *stages, struct predicting *predicting)
{
    double start = clock_now();
    if (!trial_is_ok(trial))
        return;
    trial->report(trial->context, "measure");
    sample(trial, stages, predicting);
    trial->result->real[REAL_seconds_measure] = clock_now() - start;
    stages_verify_again(trial, stages);
}

static void describe_work(struct trial *trial)
{
    struct work work = trial->family->work(trial->point);
    trial->result->real[REAL_bytes_read] = (double)work.bytes_read;
    trial->result->real[REAL_bytes_written] = (double)work.bytes_written;
    trial->result->real[REAL_flops] = (double)work.flops;
    trial->result->real[REAL_flops_executed] = work.flops_of_zeros ? (double)work_flops_executed(&work) : NAN;
    trial->result->real[REAL_bus_bytes] = work.bus_bytes ? (double)work.bus_bytes : NAN;
}

/* A descriptor's functions cannot fail; those of a family in another language can. */
static void check_family(struct trial *trial)
{
    const char *why = trial->family->failure ? trial->family->failure(trial->point) : NULL;
    if (why)
        trial_fail(trial, "%s", why);
}

void stages_describe(struct trial *trial)
{
    trial->setup = point_setup(trial->point, &trial->target);
    trial->cache = (enum cache_mode)point_value(trial->point, "cache", trial->config->timing.cache);
    trial->harness = harness_of(trial->point);
    trial->seed = trial_seed(trial->config, trial->point);
    trial->result->launch_hash = identity_launch(&trial->setup);
    describe_work(trial);
    check_family(trial);
}

void stages_prepare(struct trial *trial, const struct stages *stages)
{
    const struct backend *backend = stages->backend;
    run_stage(trial, backend->load, "compile", PHASE_load, REAL_seconds_compile);
    if (!stages->replicate) {
        run_stage(trial, backend->verify, "verify", PHASE_compare, REAL_seconds_verify);
        check_family(trial);
    }
    run_stage(trial, backend->warm_up, "warm up", PHASE_warm_up, REAL_seconds_warmup);
}

static void run_stages(struct trial *trial, const struct stages *stages)
{
    struct predicting predicting = {.trial = trial};
    stages_describe(trial);
    stages_prepare(trial, stages);
    time_samples(trial, stages, &predicting);
    phases_enter(PHASE_finish);
    if (stages->backend->end)
        stages->backend->end(trial);
    if (predicts(stages))
        finish_prediction(&predicting, trial);
}

/* Can this worker launch a point of several devices? -1 with the reason if not. How many devices it sees only
 * its back end knows. `device`: this worker's, or NULL. */
static int check_devices(const struct device *device, const struct point *point, struct error *error)
{
    struct devices devices = family_devices(point);
    int own = device ? (int)device->ordinal : -1;
    if (!devices.count || devices.ordinal[0] == own)
        return 0;
    return error_set(error, ERROR_ENVIRONMENT,
                     "device %d launches it, and no rank has that device: this one has device %d; start one "
                     "rank per device, which sees all devices of its node",
                     devices.ordinal[0], own);
}

bool trial_sees_devices(struct trial *trial, int visible)
{
    struct devices devices = family_devices(trial->point);
    for (int i = 1; i < devices.count; i++)
        if (devices.ordinal[i] >= visible) {
            trial_lack(trial,
                       "device %d is not visible: this rank sees %d; let each rank see all devices of its "
                       "node (Slurm: --gpus-per-node and --gpu-bind=none)",
                       devices.ordinal[i], visible);
            return false;
        }
    return true;
}

enum status stages_refuse(const struct stages *stages, const struct point *point,
                          char reason[RESULT_MESSAGE_SIZE])
{
    const char *why = family_skip(point, &stages->target, reason, RESULT_MESSAGE_SIZE);
    struct error error = {.kind = ERROR_NONE};
    enum status status = why ? STATUS_UNSUPPORTED : STATUS_UNAVAILABLE;
    if (!why && (why = versions_refuse(point, &stages->target, reason, RESULT_MESSAGE_SIZE)))
        status = STATUS_FAILED;
    if (!why && (why = family_mistake(point, &stages->target, reason, RESULT_MESSAGE_SIZE)))
        status = STATUS_FAILED;
    if (!why) {
        struct setup setup = point_setup(point, &stages->target);
        bool fits = numa_check(&setup, &error) == 0 && check_devices(stages->device, point, &error) == 0;
        if (fits && !stages->replicate)
            reference_check_memory(point, &setup, &error);
        why = error.kind != ERROR_NONE ? error.text : NULL;
    }
    if (why && why != reason)
        snprintf(reason, RESULT_MESSAGE_SIZE, "%.*s", RESULT_MESSAGE_SIZE - 1, why);
    return why ? status : STATUS_OK;
}

struct trial stages_trial(const struct stages *stages, const struct point *point, struct result *result)
{
    return (struct trial){.config = &stages->config,
                          .family = family_of(point),
                          .point = point,
                          .target = stages->target,
                          .result = result,
                          .replicate = stages->replicate,
                          .ahead = stages->ahead,
                          .ahead_count = stages->ahead_count,
                          .report = stages->report,
                          .context = stages->context,
                          .launches = 1,
                          .folded = 1,
                          .sets = 1,
                          .walk = 2,
                          .group_max = 1};
}

void stages_measure(const struct stages *stages, const struct point *point, struct result *result)
{
    double start = clock_now();
    char reason[RESULT_MESSAGE_SIZE];
    struct trial trial = stages_trial(stages, point, result);
    enum status refused = stages_refuse(stages, point, reason);
    if (refused != STATUS_OK)
        result_fail(result, refused, "%s", reason);
    else
        run_stages(&trial, stages);
    result->real[REAL_seconds_total] = clock_now() - start;
}

void stages_predict(struct trial *trial, const struct stages *stages)
{
    struct predicting predicting = {.trial = trial};
    if (predicts(stages))
        finish_prediction(&predicting, trial);
}
