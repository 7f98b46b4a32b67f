/* cuda_backend.c - the cuda back end: the stages of a point, in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/clock.h"
#include "base/memory.h"
#include "worker/backend.h"
#include "worker/cuda/loader.h"
#include "worker/cuda/counters/counters.h"
#include "worker/cuda/error.h"
#include "worker/cuda/compile/farm.h"
#include "worker/cuda/measure.h"
#include "worker/cuda/peaks.h"
#include "worker/cuda/verify.h"

/* One worker is one process is one device. */
static struct cuda_session session;
static struct timer *timer;
static struct cuda_counters *counters;

static int backend_open(int local_rank, struct device *device, struct error *error)
{
    if (cuda_session_open(&session, local_rank, error) != 0)
        return -1;
    *device = session.device;
    return 0;
}

static void backend_configure(const struct config *config)
{
    session.config = *config;
}

static void prepare(void)
{
    cuda_session_prepare(&session);
    if (!timer)
        timer = timer_new(&session);
}

static void backend_characterise(struct device *device)
{
    prepare();
    cuda_peaks_measure(&session, timer, &session.device);
    *device = session.device;
}

static void backend_compile(const struct point *points, uint32_t count, char **log, double *seconds)
{
    int capability = session.device.capability > 0 ? (int)session.device.capability : 0;
    cuda_farm_compile(&session.config, capability, points, count, log, seconds);
}

struct stages {
    stage_report report;
    void *context;
    double begun;
};

/* Enter a stage; returns the seconds spent in the one before. */
static double enter(struct stages *stages, const char *stage)
{
    double at = clock_now(), spent = at - stages->begun;
    stages->begun = at;
    stages->report(stages->context, stage);
    return spent;
}

static void describe_work(struct cuda_point *p, struct result *result)
{
    struct work work = p->family->work(p->point);
    result->real[REAL_bytes_read] = (double)work.bytes_read;
    result->real[REAL_bytes_written] = (double)work.bytes_written;
    result->real[REAL_flops] = (double)work.flops;
}

static void run_stages(struct cuda_point *p, struct stages *stages, struct result *result)
{
    double *real = result->real;
    enter(stages, "compile");
    prepare();
    cuda_code_load(p, result);
    real[REAL_seconds_compile] = enter(stages, "verify");
    cuda_point_place(p, 1);
    cuda_verify(p, result);
    real[REAL_seconds_verify] = enter(stages, "warm up");
    if (result->status != STATUS_OK)
        return;
    double launch = cuda_measure_warm_up(timer, p);
    real[REAL_seconds_warmup] = enter(stages, "measure");
    cuda_measure_sample(timer, p, launch, result);
    real[REAL_seconds_measure] = clock_now() - stages->begun;
}

static void backend_measure(const struct point *point, struct result *result, stage_report report,
                            void *context)
{
    struct target target = backend_target(&session.device);
    char reason[RESULT_MESSAGE_SIZE];
    double start = clock_now();
    const char *why = family_skip(point, &target, reason, sizeof reason);
    if (why) {
        result_fail(result, STATUS_UNSUPPORTED, "%s", why);
        return;
    }
    struct cuda_guard guard;
    struct stages stages = {report, context, start};
    static struct cuda_point p; /* static: it must keep its value across the guard's jump */
    p = (struct cuda_point){.session = &session,
                            .point = point,
                            .family = family_of(point),
                            .setup = family_of(point)->setup(point, &target),
                            .seed = hash_u64(hash_u64(HASH_START, session.config.seed), result->id)};
    describe_work(&p, result);
    if (cuda_guard_set(&guard) == 0) {
        run_stages(&p, &stages, result);
        cuda_guard_end();
    } else if (guard.sticky) {
        /* The context is lost. The runner records the last stage with the point and starts another process.
         */
        report(context, guard.message);
        _exit(4);
    } else {
        result_fail(result, STATUS_FAILED, "%s", guard.message);
    }
    cuda_point_release(&p);
    result->real[REAL_seconds_total] = clock_now() - start;
}

static void close_counters(void)
{
    cuda_counters_close(counters);
    counters = NULL;
}

/* The profiler is opened for each batch and closed after it, though opening costs a quarter of a second:
 * while it is enabled, launches may wait for the device, and what is timed meanwhile is not what runs without
 * it. */
static const char *backend_count(const struct point *points, uint32_t count,
                                 double (*values)[RESULT_COUNTERS_MAX], stage_report report, void *context)
{
    static char note[512];
    struct cuda_guard guard;
    report(context, "count");
    if (cuda_guard_set(&guard) == 0) {
        prepare();
        counters = cuda_counters_open(&session);
        cuda_counters_take(counters, points, count, values);
        snprintf(note, sizeof note, "%s", cuda_counters_note(counters));
        close_counters();
        cuda_guard_end();
        return note;
    }
    close_counters();
    report(context, guard.message);
    if (guard.sticky)
        _exit(4);
    snprintf(note, sizeof note, "a batch was not counted: %s", guard.message);
    return note;
}

static void backend_close(void)
{
    timer_free(timer);
    cuda_session_close(&session);
}

const struct backend backend_cuda = {
    .name = "cuda",
    .traits = {.counts = true, .compiles = true, .owns_device = true},
    .open = backend_open,
    .configure = backend_configure,
    .characterise = backend_characterise,
    .compile = backend_compile,
    .measure = backend_measure,
    .count = backend_count,
    .close = backend_close,
};
