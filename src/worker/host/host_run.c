#include "worker/host/host.h"

#include <string.h>

#include "family/versions.h"
#include "process/host_memory.h"
#include "worker/machine.h"
#include "worker/pool.h"
#include "worker/phases.h"
#include "worker/verify.h"

#define ALIGNMENT   256         /* bytes: of every buffer */
#define GRAIN_BYTES (64u << 10) /* of output, at least, for one thread at once */

static uint64_t bytes_of(const struct buffer *buffer)
{
    return dtype_bytes(buffer->dtype, buffer->count);
}

void *host_run_buffer(const struct host_run *run, uint32_t set, int buffer)
{
    return run->pages + set * run->set_bytes + run->offset[buffer];
}

/* ---- what is launched ---- */

struct launch {
    const struct host_run *run;
    struct inputs inputs;
    int buffer;
    uint64_t size; /* of an element */
    unsigned char *out;
};

static void reference_body(void *context, uint64_t first, uint64_t count)
{
    const struct launch *launch = context;
    versions_code(launch->run->point)
        ->reference(launch->run->point, &launch->inputs, launch->buffer, first, count,
                    launch->out + first * launch->size);
}

struct inputs host_run_inputs(const struct host_run *run, uint32_t set)
{
    struct inputs inputs = {
        .setup = &run->setup, .seed = run->seed, .threads = run->host->config.threads, .parallel = pool_run};
    for (int i = 0; i < run->setup.buffers; i++)
        if (run->setup.buffer[i].role == BUFFER_INPUT)
            inputs.data[i] = host_run_buffer(run, set, i);
    return inputs;
}

static void run_reference(const struct host_run *run, uint32_t set)
{
    const int threads = run->host->config.threads;
    struct launch launch = {.run = run, .inputs = host_run_inputs(run, set)};
    for (int i = 0; i < run->setup.buffers; i++) {
        const struct buffer *buffer = &run->setup.buffer[i];
        if (buffer->role != BUFFER_OUTPUT)
            continue;
        launch.buffer = i;
        launch.size = dtype_size(buffer->dtype);
        launch.out = host_run_buffer(run, set, i);
        uint64_t least = GRAIN_BYTES / launch.size;
        uint64_t grain = buffer->count / (4 * (uint64_t)threads); /* evens out busy cores */
        grain = grain > least ? grain : least;
        /* A single range runs in this thread and leaves the others to it; several occupy them all. */
        launch.inputs.parallel = buffer->count <= grain ? pool_run : NULL;
        pool_run(threads, buffer->count, grain, reference_body, &launch);
    }
}

static void set_addresses(struct host_run *run, uint32_t set)
{
    for (int b = 0; b < run->setup.buffers; b++)
        run->call.buffer[b] = host_run_buffer(run, set, b);
}

void host_run_open(struct host_run *run, struct trial *trial)
{
    const struct family *family = run->family;
    if (run->setup.engine != ENGINE_CALL || !family->call_on_host)
        return;
    run->calls = true;
    run->call = (struct call){.point = run->point, .setup = &run->setup, .devices = 1};
    set_addresses(run, 0);
    enum phase before = phases_enter(PHASE_open_call);
    uint64_t available = host_memory_read("").available, *bytes = &run->call.workspace_bytes;
    if (family->open_call && family->open_call(&run->call) != 0)
        result_fail(trial->result, call_status(&run->call), "%s", call_reason(&run->call));
    else if (*bytes && (*bytes > available || !(run->call.workspace = host_pages_new(*bytes))))
        trial_lack(trial, "its workspace needs %.4g GiB; the host has %.4g GiB available",
                   (double)*bytes / 0x1p30, (double)available / 0x1p30);
    phases_leave(before);
}

static void close_call(struct host_run *run)
{
    if (run->calls && run->family->close_call)
        run->family->close_call(&run->call);
    host_pages_free(run->call.workspace, run->call.workspace_bytes);
    run->call.workspace = NULL;
    run->calls = false;
}

void host_run_launch(struct host_run *run)
{
    uint32_t set = run->next;
    run->next = set + 1 < run->sets ? set + 1 : 0;
    if (run->other)
        run->other->next = run->next;
    if (run->calls) {
        set_addresses(run, set);
        run->failed = run->failed || run->family->call(&run->call) != 0;
    } else if (run->setup.engine == ENGINE_MEMCPY) {
        host_stream_copy(run->host->config.threads, host_run_buffer(run, set, 1),
                         host_run_buffer(run, set, 0), bytes_of(&run->setup.buffer[0]));
    } else {
        run_reference(run, set);
    }
}

/* ---- arrays ---- */

/* `inputs`: those that launches do not change. Those that they change are filled in any case; outputs get the
 * poison. */
static void fill_buffers(const struct host_run *run, bool inputs, bool poison)
{
    for (int i = 0; i < run->setup.buffers; i++) {
        const struct buffer *buffer = &run->setup.buffer[i];
        const int threads = run->host->config.threads;
        void *out = host_run_buffer(run, 0, i);
        if (!inputs && !buffer_is_compared(buffer))
            continue;
        if (buffer_is_filled(buffer))
            materialise_buffer(buffer, run->seed + (uint64_t)i, threads, out);
        else if (poison)
            host_stream_write(threads, out, VERIFY_POISON, bytes_of(buffer));
    }
}

static void lay_out(struct host_run *run, uint64_t cache)
{
    run->set_bytes = 0;
    for (int i = 0; i < run->setup.buffers; i++) {
        run->offset[i] = run->set_bytes;
        run->set_bytes += (bytes_of(&run->setup.buffer[i]) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    run->sets = 1;
    if (run->cache == CACHE_ROTATE && run->set_bytes)
        run->sets = (uint32_t)(2 * cache / run->set_bytes + 2);
}

/* The flush buffer, at least so large. Untouched pages are all the same zero page, which would stay cached.
 */
static void grow_flush(struct host *host, uint64_t bytes)
{
    if (bytes <= host->flush_bytes)
        return;
    host_pages_free(host->flush, host->flush_bytes);
    host->flush = host_pages_new(bytes);
    host->flush_bytes = host->flush ? bytes : 0;
    if (host->flush)
        host_stream_write(host->config.threads, host->flush, 0x5a, bytes);
}

/* All buffers on one node if any has one. */
static void *new_pages(const struct host_run *run, uint64_t bytes)
{
    struct error error;
    for (int b = 0; b < run->setup.buffers; b++)
        if (run->setup.buffer[b].numa)
            return numa_pages_new(bytes, run->setup.buffer[b].numa - 1, &error);
    return host_pages_new(bytes);
}

void host_run_place(struct host_run *run, struct trial *trial)
{
    struct host *host = run->host;
    uint64_t cache = host_cache_bytes(&host->device), available = host_memory_read("").available;
    lay_out(run, cache);
    bool flushed = run->cache == CACHE_COLD || run->cache == CACHE_CLEAN;
    uint64_t flush = flushed ? 2 * cache : 0, bytes = run->sets * run->set_bytes;
    uint64_t missing = flush > host->flush_bytes ? flush - host->flush_bytes : 0;
    enum phase before = phases_enter(PHASE_allocate);
    if (bytes + missing <= available) {
        run->pages = new_pages(run, bytes);
        grow_flush(host, flush);
    }
    phases_enter(PHASE_fill);
    if (!run->pages || host->flush_bytes < flush)
        trial_lack(trial, "its buffers need %.4g GiB; the host has %.4g GiB available",
                   (double)(bytes + missing) / 0x1p30, (double)available / 0x1p30);
    else
        fill_buffers(run, true, true);
    phases_leave(before);
}

void host_run_poison(struct host_run *run)
{
    run->next = 0;
    fill_buffers(run, false, true);
}

void host_run_renew(struct host_run *run, bool poison)
{
    fill_buffers(run, true, poison);
}

void host_run_release(struct host_run *run)
{
    close_call(run);
    if (!run->borrowed)
        host_pages_free(run->pages, run->sets * run->set_bytes);
    run->pages = NULL;
    run->borrowed = false;
    run->other = NULL;
}

void host_run_share(struct host_run *first, struct host_run *second)
{
    if (!second->borrowed)
        host_pages_free(second->pages, second->sets * second->set_bytes);
    second->pages = first->pages;
    second->sets = first->sets;
    second->borrowed = true;
    second->next = first->next;
    first->other = second;
    second->other = first;
}

void host_run_copy_sets(const struct host_run *run)
{
    for (uint32_t set = 1; set < run->sets; set++)
        host_stream_copy(run->host->config.threads, run->pages + set * run->set_bytes, run->pages,
                         run->set_bytes);
}

void host_run_flush(const struct host_run *run)
{
    host_stream_read(run->host->config.threads, run->host->flush, run->host->flush_bytes);
}
