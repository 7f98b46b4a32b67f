/* host_backend.c - the host back end: each family's C reference, run on all threads and timed on the CPU.
 *
 * It makes the whole chain work where there is no GPU, and says so in every row: its device is the processor.
 * What runs reads inputs that lie in memory; what it is compared with is the reference over inputs generated
 * element by element, in other portions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "worker/host/host.h"
#include "worker/phases.h"
#include "worker/verify.h"

#define WARM_UP_SECONDS 0.05  /* until the CPU's clock has risen and all pages are there */
#define QUICK_SECONDS   10e-6 /* a quicker launch is timed in batches ... */
#define BATCH_SECONDS   50e-6 /* ... of about this length, a thousand times the clock's resolution */
#define BATCH_MAX       100000

/* The one device this process has, and the point that it measures, or the two of a pair. */
static struct host host;
static struct host_run runs[2];
static int held;

/* ---- the stages ---- */

static void load(struct trial *trial)
{
    runs[held] = (struct host_run){.host = &host,
                                   .family = trial->family,
                                   .point = trial->point,
                                   .setup = trial->setup,
                                   .cache = trial->cache,
                                   .seed = trial->seed};
    host_run_place(&runs[held], trial);
    if (trial_is_ok(trial))
        host_run_open(&runs[held], trial);
    if (trial->family->loaded) /* the code of a built-in reference is not known apart from the program's */
        trial->result->code_hash =
            hash_u64(hash_u64(HASH_START, trial->family->loaded), (uint64_t)runs[held].call.library_version);
}

static void check_call(struct trial *trial)
{
    if (runs[held].failed)
        result_fail(trial->result, call_status(&runs[held].call), "%s", call_reason(&runs[held].call));
}

static void verify_gathered(struct verification *v, const struct verify_plan *plan, const unsigned char *out,
                            uint64_t size)
{
    unsigned char *gathered = memory_new(plan->samples, size);
    for (uint64_t k = 0; k < plan->samples; k++)
        memcpy(gathered + k * size, out + verify_index(plan, k) * size, size);
    verify_samples(v, plan, 0, plan->samples, gathered);
    free(gathered);
}

static void verify_buffer(struct verification *v, const struct verify_plan *plan)
{
    uint64_t size = dtype_size(runs[held].setup.buffer[plan->buffer].dtype);
    const unsigned char *out = host_run_buffer(&runs[held], 0, plan->buffer);
    for (int range = 0; range < plan->ranges; range++)
        verify_range(v, plan, plan->range[range].first, plan->range[range].count,
                     out + plan->range[range].first * size);
    if (plan->samples)
        verify_gathered(v, plan, out, size);
}

/* Compare the outputs of the first set as they are now. */
static void compare_outputs(struct result *result, bool sparse)
{
    const struct host_run *run = &runs[held];
    struct inputs inputs = host_run_inputs(run, 0);
    if (!run->family->materialise)
        memset(inputs.data, 0, sizeof inputs.data); /* generate each element */
    struct verification v = verify_start(run->family, run->point, &inputs, host.config.threads);
    v.kept = host.expectations;
    v.sparse = sparse;
    for (int i = 0; i < run->setup.buffers; i++) {
        struct verify_plan plan = verify_plan_for(&v, i, hash_mix(run->seed));
        if (buffer_is_compared(&run->setup.buffer[i]))
            verify_buffer(&v, &plan);
    }
    verify_conclude(&v, result);
}

static void verify(struct trial *trial)
{
    struct result *result = trial->result;
    enum phase before = phases_enter(PHASE_launch);
    if (result->sample_count) /* again, behind the last sample */
        host_run_poison(&runs[held]);
    host_run_launch(&runs[held]);
    phases_leave(before);
    runs[held].next = 0;
    check_call(trial);
    if (result->status == STATUS_OK)
        compare_outputs(result, false);
}

/* The host's flush leaves clean lines in either state. */
static bool is_flushed(void)
{
    return runs[held].cache == CACHE_COLD || runs[held].cache == CACHE_CLEAN;
}

static void renew(struct trial *trial, bool poison)
{
    runs[held].seed = trial->seed;
    host_run_renew(&runs[held], poison);
}

/* Without a flush, all that the launch touches is in the caches as far as it fits, also what was filled just
 * now. */
static void take_single(struct trial *trial, struct sample *sample)
{
    struct host_run *run = &runs[held];
    run->next = 0;
    host_run_flush(run);
    host_stream_read(host.config.threads, host_run_buffer(run, 0, 0), is_flushed() ? 0 : run->set_bytes);
    double start = clock_now();
    host_run_launch(run);
    *sample = sample_of(clock_now() - start);
    check_call(trial);
}

static void compare(struct trial *trial)
{
    compare_outputs(trial->result, true);
}

static void warm_up(struct trial *trial)
{
    host_run_copy_sets(&runs[held]);
    double start = clock_now(), elapsed;
    uint64_t launches = 0;
    do {
        host_run_launch(&runs[held]);
        launches++;
        elapsed = clock_now() - start;
    } while (elapsed < WARM_UP_SECONDS);
    trial->launch_seconds = elapsed / (double)launches;
    check_call(trial);
}

/* A cold launch cannot be repeated within a sample, so it stands alone however quick it is. */
static void arrange(struct trial *trial)
{
    trial->result->timer = TIMER_CLOCK;
    trial->sets = runs[held].sets;
    if (!is_flushed() && trial->launch_seconds < QUICK_SECONDS)
        trial->launches = (uint32_t)fmin(ceil(BATCH_SECONDS / trial->launch_seconds), BATCH_MAX);
}

static void take(struct trial *trial, uint32_t count, struct sample *samples)
{
    for (uint32_t s = 0; s < count; s++) {
        if (is_flushed())
            host_run_flush(&runs[held]);
        double start = clock_now();
        for (uint32_t i = 0; i < trial->launches; i++)
            host_run_launch(&runs[held]);
        samples[s] = sample_of((clock_now() - start) / trial->launches);
    }
    check_call(trial);
}

static void end(struct trial *trial)
{
    (void)trial;
    host_run_release(&runs[held]);
}

static void hold(int slot)
{
    held = slot;
}

/* The second point moves into the buffers of the first if it can. Samples have as many launches as the longer
 * ones need. */
static void arrange_pair(struct trial *const pair[2])
{
    for (int slot = 0; slot < 2; slot++) {
        hold(slot);
        arrange(pair[slot]);
    }
    uint32_t launches = pair[0]->launches > pair[1]->launches ? pair[0]->launches : pair[1]->launches;
    pair[0]->launches = pair[1]->launches = launches;
    host_run_share(&runs[0], &runs[1]);
}

/* ---- the interface ---- */

static int open_host(int local_rank, struct device *device, struct error *error)
{
    (void)local_rank; /* all ranks of a node share its processor */
    (void)error;
    host.config = config_standard();
    host.device = host_device();
    host.expectations = expectations_new(expectations_standard_bytes());
    *device = host.device;
    return 0;
}

static void configure(const struct config *config)
{
    host.config = *config;
    host.config.threads += !config->threads; /* the caller is one */
    struct device now = host_device();       /* the CPUs may have been bound since */
    host.device.l2_bytes = now.l2_bytes;
    host.device.multiprocessors = host.config.threads;
}

static void characterise(enum peaks_part part, struct device *device)
{
    (void)part; /* all ranks of a node share one memory */
    host_stream_peaks(host.config.threads, &host.device);
    *device = host.device;
}

static void close_host(void)
{
    expectations_free(host.expectations);
    host_pages_free(host.flush, host.flush_bytes);
    memset(&host, 0, sizeof host);
}

const struct backend backend_host = {
    .name = "host",
    .traits = {.is_host = true},
    .open = open_host,
    .configure = configure,
    .characterise = characterise,
    .load = load,
    .verify = verify,
    .warm_up = warm_up,
    .arrange = arrange,
    .take = take,
    .renew = renew,
    .take_single = take_single,
    .compare = compare,
    .end = end,
    .hold = hold,
    .arrange_pair = arrange_pair,
    .close = close_host,
};
