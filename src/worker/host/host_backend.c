/* host_backend.c - the host back end: each family's C reference, run on all threads and timed on the CPU.
 *
 * It makes the whole chain work where there is no GPU, and says so in every row: its device is the processor.
 * The stages are those of measurement on a GPU. What runs reads inputs that lie in memory; what it is
 * compared with is the reference over inputs generated element by element, in other portions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "worker/backend.h"
#include "worker/host/host_device.h"
#include "worker/host/host_stream.h"
#include "worker/pool.h"
#include "worker/stopping.h"
#include "worker/verify.h"

#define ALIGNMENT       256         /* bytes: of every buffer */
#define GRAIN_BYTES     (64u << 10) /* of output, at least, for one thread at once */
#define FILL_GRAIN      (64u << 10) /* elements */
#define WARM_UP_SECONDS 0.05        /* until the CPU's clock has risen and all pages are there */
#define QUICK_SECONDS   10e-6       /* a quicker launch is timed in batches ... */
#define BATCH_SECONDS   50e-6       /* ... of about this length, a thousand times the clock's resolution */
#define BATCH_MOST      100000

/* The one device this process has. */
static struct {
    struct config config;
    struct device device;
    struct pool *pool;
    unsigned char *flush; /* read through to empty the caches */
    uint64_t flush_bytes;
} host;

/* One point being measured. */
struct run {
    const struct family *family;
    const struct point *point;
    struct setup setup;
    enum cache_mode cache;
    unsigned char *pages; /* `sets` times `set_bytes` */
    uint64_t set_bytes, offset[SETUP_BUFFERS_MAX];
    uint32_t sets, next; /* sets the samples walk over; the one that is next */
    uint32_t batch;
};

static uint64_t buffer_bytes(const struct buffer *buffer)
{
    return buffer->count * dtype_size(buffer->dtype);
}

static void *buffer_at(const struct run *run, uint32_t set, int buffer)
{
    return run->pages + set * run->set_bytes + run->offset[buffer];
}

/* ---- what is launched ---- */

struct launch {
    const struct run *run;
    struct inputs inputs;
    int buffer;
    uint64_t size; /* of an element */
    unsigned char *out;
};

static void reference_body(void *context, uint64_t first, uint64_t count)
{
    const struct launch *launch = context;
    launch->run->family->reference(launch->run->point, &launch->inputs, launch->buffer, first, count,
                                   launch->out + first * launch->size);
}

/* The inputs of one set, in memory. */
static struct inputs set_inputs(const struct run *run, uint32_t set)
{
    struct inputs inputs = {.setup = &run->setup,
                            .seed = host.config.seed,
                            .threads = pool_threads(host.pool),
                            .parallel = pool_run};
    for (int i = 0; i < run->setup.buffers; i++)
        if (run->setup.buffer[i].role == BUFFER_INPUT)
            inputs.data[i] = buffer_at(run, set, i);
    return inputs;
}

/* For a reference that spreads one range over threads of its own. */
static void within_range(int threads, uint64_t count, uint64_t grain, pool_body body, void *context)
{
    (void)threads;
    pool_do(host.pool, count, grain, body, context);
}

static void run_reference(const struct run *run, uint32_t set)
{
    struct launch launch = {.run = run, .inputs = set_inputs(run, set)};
    for (int i = 0; i < run->setup.buffers; i++) {
        const struct buffer *buffer = &run->setup.buffer[i];
        if (buffer->role != BUFFER_OUTPUT)
            continue;
        launch.buffer = i;
        launch.size = dtype_size(buffer->dtype);
        launch.out = buffer_at(run, set, i);
        uint64_t least = GRAIN_BYTES / launch.size;
        uint64_t grain = buffer->count / (4 * (uint64_t)pool_threads(host.pool)); /* evens out busy cores */
        grain = grain > least ? grain : least;
        /* A single range runs in this thread and leaves the others to it; several occupy them all. */
        launch.inputs.parallel = buffer->count <= grain ? within_range : NULL;
        pool_do(host.pool, buffer->count, grain, reference_body, &launch);
    }
}

static void launch(struct run *run)
{
    uint32_t set = run->next;
    run->next = set + 1 < run->sets ? set + 1 : 0;
    if (run->setup.engine == ENGINE_MEMCPY)
        host_stream_copy(host.pool, buffer_at(run, set, 1), buffer_at(run, set, 0),
                         buffer_bytes(&run->setup.buffer[0]));
    else
        run_reference(run, set);
}

/* ---- arrays ---- */

struct filling {
    const struct buffer *buffer;
    uint64_t seed, size;
    unsigned char *out;
};

static void fill_body(void *context, uint64_t first, uint64_t count)
{
    const struct filling *f = context;
    fill_range(&f->buffer->fill, f->buffer->dtype, f->seed, first, count, f->out + first * f->size);
}

static void fill_inputs(const struct run *run)
{
    for (int i = 0; i < run->setup.buffers; i++) {
        const struct buffer *buffer = &run->setup.buffer[i];
        struct filling filling = {buffer, host.config.seed + (uint64_t)i, dtype_size(buffer->dtype),
                                  buffer_at(run, 0, i)};
        if (buffer->role == BUFFER_INPUT)
            pool_do(host.pool, buffer->count, FILL_GRAIN, fill_body, &filling);
        else
            host_stream_write(host.pool, filling.out, VERIFY_POISON, buffer_bytes(buffer));
    }
}

/* Lay out the buffers of one set, and as many sets as the cache mode asks for. -1 after saying why not. */
static int allocate(struct run *run, struct result *result)
{
    uint64_t cache = host_cache_bytes(&host.device);
    for (int i = 0; i < run->setup.buffers; i++) {
        run->offset[i] = run->set_bytes;
        run->set_bytes += (buffer_bytes(&run->setup.buffer[i]) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    run->sets = 1;
    if (run->cache == CACHE_ROTATE && run->set_bytes)
        run->sets = (uint32_t)(2 * cache / run->set_bytes + 2);
    uint64_t flush = run->cache == CACHE_COLD ? 2 * cache : 0, bytes = run->sets * run->set_bytes;
    uint64_t missing = flush > host.flush_bytes ? flush - host.flush_bytes : 0;
    uint64_t available = host_memory_available();
    if (bytes + missing <= available) {
        run->pages = host_pages_new(bytes);
        if (missing) {
            host_pages_free(host.flush, host.flush_bytes);
            host.flush = host_pages_new(flush);
            host.flush_bytes = host.flush ? flush : 0;
            if (host.flush) /* untouched pages are all the same zero page, which would stay cached */
                host_stream_write(host.pool, host.flush, 0x5a, flush);
        }
        if (run->pages && host.flush_bytes >= flush)
            return 0;
    }
    result_fail(result, STATUS_UNSUPPORTED, "its arrays need %.4g GiB; the host has %.4g GiB available",
                (double)(bytes + missing) / 0x1p30, (double)available / 0x1p30);
    return -1;
}

/* The other sets of a rotation hold what the first does. */
static void copy_sets(const struct run *run)
{
    for (uint32_t set = 1; set < run->sets; set++)
        host_stream_copy(host.pool, buffer_at(run, set, 0), run->pages, run->set_bytes);
}

/* ---- the stages ---- */

static void verify_gathered(struct verification *v, const struct verify_plan *plan, const unsigned char *out,
                            uint64_t size)
{
    unsigned char *gathered = memory_new(plan->samples, size);
    for (uint64_t k = 0; k < plan->samples; k++)
        memcpy(gathered + k * size, out + verify_index(plan, k) * size, size);
    verify_samples(v, plan, 0, plan->samples, gathered);
    free(gathered);
}

static int verify(struct run *run, struct result *result)
{
    double start = clock_now();
    fill_inputs(run);
    launch(run);
    run->next = 0;
    struct inputs inputs = set_inputs(run, 0);
    if (!run->family->materialise)
        memset(inputs.data, 0, sizeof inputs.data); /* generate each element */
    struct verification v = verify_start(run->family, run->point, &inputs, pool_threads(host.pool));
    for (int i = 0; i < run->setup.buffers; i++) {
        const struct buffer *buffer = &run->setup.buffer[i];
        if (buffer->role != BUFFER_OUTPUT)
            continue;
        struct verify_plan plan = verify_plan_buffer(&run->setup, i, hash_mix(host.config.seed + result->id));
        uint64_t size = dtype_size(buffer->dtype);
        const unsigned char *out = buffer_at(run, 0, i);
        for (int range = 0; range < plan.ranges; range++)
            verify_range(&v, &plan, plan.range[range].first, plan.range[range].count,
                         out + plan.range[range].first * size);
        if (plan.samples)
            verify_gathered(&v, &plan, out, size);
    }
    result->real[REAL_verified] = (double)v.compared;
    result->real[REAL_error_max] = v.compared ? v.error_max : NAN;
    result->real[REAL_seconds_verify] = clock_now() - start;
    if (verify_passed(&v))
        return 0;
    result->status = STATUS_FAILED;
    verify_describe(&v, result->message, sizeof result->message);
    return -1;
}

/* Launch until the machine is warm; decides how many launches a sample has. A cold launch cannot be repeated
 * within a sample, so it stands alone however quick it is. */
static void warm_up(struct run *run, struct result *result)
{
    copy_sets(run);
    double start = clock_now(), elapsed;
    uint64_t launches = 0;
    do {
        launch(run);
        launches++;
        elapsed = clock_now() - start;
    } while (elapsed < WARM_UP_SECONDS);
    double each = elapsed / (double)launches;
    run->batch = 1;
    if (run->cache != CACHE_COLD && each < QUICK_SECONDS)
        run->batch = (uint32_t)fmin(ceil(BATCH_SECONDS / each), BATCH_MOST);
    result->real[REAL_launches] = run->batch;
    result->real[REAL_buffer_sets] = run->sets;
    result->real[REAL_seconds_warmup] = elapsed;
}

static double one_sample(struct run *run)
{
    if (run->cache == CACHE_COLD)
        host_stream_read(host.pool, host.flush, host.flush_bytes);
    double start = clock_now();
    for (uint32_t i = 0; i < run->batch; i++)
        launch(run);
    return (clock_now() - start) / run->batch;
}

static void sample(struct run *run, struct result *result)
{
    struct stopping stopping = stopping_start(&host.config.timing, host.config.seed);
    size_t capacity = 0;
    double start = clock_now(), elapsed;
    do {
        double seconds = one_sample(run);
        elapsed = clock_now() - start;
        result->samples =
            memory_grow(result->samples, result->sample_count, &capacity, sizeof *result->samples);
        result->samples[result->sample_count++] = (struct sample){seconds, NAN};
        result->stop = stopping_add(&stopping, seconds, elapsed);
    } while (result->stop == STOP_NONE);
    result->real[REAL_seconds_measure] = elapsed;
    stopping_free(&stopping);
}

static void measure(const struct point *point, struct result *result, stage_report report, void *context)
{
    double start = clock_now();
    struct run run = {.family = family_of(point), .point = point};
    struct target target = backend_target(&host.device);
    char reason[RESULT_MESSAGE_SIZE];
    const char *why = family_skip(point, &target, reason, sizeof reason);
    if (why) {
        result_fail(result, STATUS_UNSUPPORTED, "%s", why);
        return;
    }
    run.setup = run.family->setup(point, &target);
    if (run.setup.engine != ENGINE_KERNEL && run.setup.engine != ENGINE_MEMCPY) {
        result_fail(result, STATUS_UNSUPPORTED, "the host back end has none of the vendor's libraries");
        return;
    }
    run.cache = (enum cache_mode)point_value(point, "cache", host.config.timing.cache);
    struct work work = run.family->work(point);
    result->real[REAL_bytes_read] = (double)work.bytes_read;
    result->real[REAL_bytes_written] = (double)work.bytes_written;
    result->real[REAL_flops] = (double)work.flops;
    if (allocate(&run, result) != 0)
        goto out;
    report(context, "verify");
    if (verify(&run, result) != 0)
        goto out;
    report(context, "warm up");
    warm_up(&run, result);
    report(context, "measure");
    sample(&run, result);
    result_summarise(result, host.config.seed);
    result->real[REAL_fraction_peak] = result->real[REAL_bandwidth] / host.device.peak_copy;
out:
    host_pages_free(run.pages, run.sets * run.set_bytes);
    result->real[REAL_seconds_total] = clock_now() - start;
}

/* ---- the interface ---- */

static int open_host(int local_rank, struct device *device, struct error *error)
{
    (void)local_rank; /* all ranks of a node share its processor */
    (void)error;
    host.config = config_standard();
    host.device = host_device();
    host.pool = pool_new(host.config.threads);
    *device = host.device;
    return 0;
}

static void configure(const struct config *config)
{
    host.config = *config;
    pool_free(host.pool);
    host.pool = pool_new(config->threads);
    struct device now = host_device(); /* the CPUs may have been bound since */
    host.device.l2_bytes = now.l2_bytes;
    host.device.multiprocessors = pool_threads(host.pool);
}

static void characterise(struct device *device)
{
    host_stream_peaks(host.pool, &host.device);
    *device = host.device;
}

/* The references were compiled with this program. */
static void compile(const struct point *points, uint32_t count, char **log, double *seconds)
{
    (void)points;
    for (uint32_t i = 0; i < count; i++) {
        log[i] = NULL;
        seconds[i] = 0;
    }
}

static void close_host(void)
{
    pool_free(host.pool);
    host_pages_free(host.flush, host.flush_bytes);
    memset(&host, 0, sizeof host);
}

const struct backend backend_host = {
    .name = "host",
    .traits = {.is_host = true},
    .open = open_host,
    .configure = configure,
    .characterise = characterise,
    .compile = compile,
    .measure = measure,
    .close = close_host,
};
