#include "worker/stages.h"

#include <math.h>

#include "base/clock.h"
#include "base/hash.h"
#include "family/model.h"
#include "family/time_model.h"
#include "worker/sampling.h"
#include "worker/spans.h"

uint64_t trial_seed(const struct config *config, const struct point *point)
{
    return hash_u64(hash_u64(HASH_START, config->seed), family_data_key(point));
}

typedef void (*stage_call)(struct trial *trial);

static bool goes_on(const struct trial *trial)
{
    return trial->result->status == STATUS_OK;
}

/* Run a stage of the back end, if it has it and the point has come so far. */
static void run_stage(struct trial *trial, stage_call stage, const char *name, enum phase phase,
                      enum result_real seconds)
{
    double start = clock_now();
    if (!stage || !goes_on(trial))
        return;
    trial->report(trial->context, name);
    enum phase before = spans_enter(phase);
    stage(trial);
    spans_leave(before);
    trial->result->real[seconds] = clock_now() - start;
}

static void sample(struct trial *trial, const struct backend *backend)
{
    spans_enter(PHASE_arrange);
    if (backend->arrange)
        backend->arrange(trial);
    if (!goes_on(trial))
        return;
    spans_enter(PHASE_sample);
    sampling_run(trial, backend->take);
    spans_enter(PHASE_finish);
    trial->result->real[REAL_launches] = trial->launches;
    trial->result->real[REAL_buffer_sets] = trial->sets;
    if (!goes_on(trial))
        return;
    result_summarise(trial->result);
    if (backend->observe)
        backend->observe(trial);
}

static void time_samples(struct trial *trial, const struct backend *backend)
{
    double start = clock_now();
    if (!goes_on(trial))
        return;
    trial->report(trial->context, "measure");
    sample(trial, backend);
    trial->result->real[REAL_seconds_measure] = clock_now() - start;
}

static void describe_work(struct trial *trial)
{
    struct work work = trial->family->work(trial->point);
    trial->result->real[REAL_bytes_read] = (double)work.bytes_read;
    trial->result->real[REAL_bytes_written] = (double)work.bytes_written;
    trial->result->real[REAL_flops] = (double)work.flops;
}

/* Share of L2's lines that are dirty when a launch begins; NaN: as many as the launches before it left, which
 * were of the point too. */
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

/* What the counters should say, whatever it runs on, in which state of L2 they are to be taken, and how long it should
 * take on this device. */
static void predict(struct trial *trial, const struct device *device)
{
    double *real = trial->result->real, dirty = dirty_at_start(trial);
    struct prediction prediction;
    model_predict(trial->point, &trial->setup, &trial->target, dirty, &prediction);
#define X(name) real[REAL_predicted_##name] = prediction.name;
    PREDICTIONS(X)
#undef X
    if (trial->result->status == STATUS_OK)
        time_fill(trial->result, trial->point, &trial->setup, &prediction, device);
    if (trial->cache == CACHE_HOT)
        return;
    double stored = real[REAL_bytes_written] / (real[REAL_bytes_read] + real[REAL_bytes_written]);
    double left = isnan(prediction.dirty_left) ? stored : prediction.dirty_left;
    real[REAL_l2_dirty] = isnan(dirty) ? left : dirty;
}

static void go_through(struct trial *trial, const struct stages *stages)
{
    const struct backend *backend = stages->backend;
    trial->setup = point_setup(trial->point, &trial->target);
    trial->cache = (enum cache_mode)point_value(trial->point, "cache", trial->config->timing.cache);
    trial->seed = trial_seed(trial->config, trial->point);
    describe_work(trial);
    run_stage(trial, backend->load, "compile", PHASE_load, REAL_seconds_compile);
    if (!stages->replicate)
        run_stage(trial, backend->verify, "verify", PHASE_compare, REAL_seconds_verify);
    run_stage(trial, backend->warm_up, "warm up", PHASE_warm_up, REAL_seconds_warmup);
    time_samples(trial, backend);
    spans_enter(PHASE_finish);
    if (backend->end)
        backend->end(trial);
    if (!backend->traits.makes_up && !stages->replicate)
        predict(trial, stages->device);
}

void stages_measure(const struct stages *stages, const struct point *point, struct result *result)
{
    double start = clock_now();
    char reason[RESULT_MESSAGE_SIZE];
    struct trial trial = {.config = &stages->config,
                          .family = family_of(point),
                          .point = point,
                          .target = stages->target,
                          .result = result,
                          .next = stages->next,
                          .report = stages->report,
                          .context = stages->context,
                          .launches = 1,
                          .sets = 1,
                          .group_most = 1};
    const char *why = family_skip(point, &stages->target, reason, sizeof reason);
    if (why)
        trial_refuse(&trial, "%s", why);
    else
        go_through(&trial, stages);
    result->real[REAL_seconds_total] = clock_now() - start;
}
