#include "worker/host/host.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "process/host_memory.h"
#include "statistics/summary.h"
#include "worker/pool.h"

#define GRAIN_MIN   (UINT64_C(64) << 10) /* bytes: less is not worth waking a thread */
#define CACHE_GUESS (UINT64_C(64) << 20) /* bytes of last-level cache where the kernel does not tell */
#define PEAK_ROUNDS 3

void *host_pages_new(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    madvise(pages, bytes, MADV_HUGEPAGE); /* fewer TLB misses; without it things work all the same */
    return pages;
}

void host_pages_free(void *pages, size_t bytes)
{
    if (pages)
        munmap(pages, bytes);
}

uint64_t host_cache_bytes(const struct device *device)
{
    return device->l2_bytes > 0 ? (uint64_t)device->l2_bytes : CACHE_GUESS;
}

/* A few ranges per thread even out what else runs on the machine; whole cache lines keep threads apart. */
static uint64_t stream_grain(int threads, uint64_t bytes)
{
    uint64_t grain = bytes / (4 * (uint64_t)threads) / 64 * 64;
    return grain > GRAIN_MIN ? grain : GRAIN_MIN;
}

struct stream {
    unsigned char *to;
    const unsigned char *from;
    int byte;
    _Atomic uint64_t sum; /* of what was read, so that the reads are not optimised away */
};

static void copy_body(void *context, uint64_t first, uint64_t count)
{
    struct stream *stream = context;
    memcpy(stream->to + first, stream->from + first, count);
}

static void write_body(void *context, uint64_t first, uint64_t count)
{
    struct stream *stream = context;
    memset(stream->to + first, stream->byte, count);
}

static void read_body(void *context, uint64_t first, uint64_t count)
{
    struct stream *stream = context;
    const unsigned char *from = stream->from + first;
    uint64_t sum[8] = {0}, word[8];
    for (uint64_t at = 0; at + sizeof word <= count; at += sizeof word) {
        memcpy(word, from + at, sizeof word);
        for (int i = 0; i < 8; i++)
            sum[i] += word[i];
    }
    for (int i = 1; i < 8; i++)
        sum[0] += sum[i];
    atomic_fetch_add_explicit(&stream->sum, sum[0], memory_order_relaxed);
}

void host_stream_copy(int threads, void *to, const void *from, uint64_t bytes)
{
    struct stream stream = {.to = to, .from = from};
    pool_run(threads, bytes, stream_grain(threads, bytes), copy_body, &stream);
}

void host_stream_write(int threads, void *to, int byte, uint64_t bytes)
{
    struct stream stream = {.to = to, .byte = byte};
    pool_run(threads, bytes, stream_grain(threads, bytes), write_body, &stream);
}

void host_stream_read(int threads, const void *from, uint64_t bytes)
{
    struct stream stream = {.from = from};
    pool_run(threads, bytes, stream_grain(threads, bytes), read_body, &stream);
}

static double best_seconds(int threads, pool_body body, struct stream *stream, uint64_t bytes)
{
    double best = INFINITY;
    for (int round = 0; round < PEAK_ROUNDS; round++) {
        double start = clock_now();
        pool_run(threads, bytes, stream_grain(threads, bytes), body, stream);
        best = fmin(best, clock_now() - start);
    }
    return best;
}

static void nothing(void *context, uint64_t first, uint64_t count)
{
    (void)context;
    (void)first;
    (void)count;
}

/* Seconds to wake every thread and hear back. */
static double launch_floor(int threads)
{
    double seconds[101];
    for (int i = 0; i < 101; i++) {
        double start = clock_now();
        pool_run(threads, (uint64_t)threads, 1, nothing, NULL);
        seconds[i] = clock_now() - start;
    }
    return statistics_of(seconds, 101).median;
}

void host_stream_peaks(int threads, struct device *device)
{
    uint64_t cache = host_cache_bytes(device), bytes = 4 * cache, most = host_memory_read("").available / 4;
    device->launch_floor = launch_floor(threads);
    if (bytes > most)
        return; /* an array that fits in here would measure the caches */
    struct stream stream = {.to = host_pages_new(bytes), .byte = 0x5a};
    unsigned char *from = host_pages_new(bytes);
    stream.from = from;
    if (stream.to && from) {
        host_stream_write(threads, from, 0xa5, bytes);
        host_stream_write(threads, stream.to, 0x5a, bytes);
        device->peak_copy = 2 * (double)bytes / best_seconds(threads, copy_body, &stream, bytes);
        device->peak_write = (double)bytes / best_seconds(threads, write_body, &stream, bytes);
        device->peak_read = (double)bytes / best_seconds(threads, read_body, &stream, bytes);
        size_t half = cache / 2; /* an array of half the cache's size, read again and again */
        if (device->l2_bytes > 0)
            device->peak_l2_read = (double)half / best_seconds(threads, read_body, &stream, half);
    }
    host_pages_free(stream.to, bytes);
    host_pages_free(from, bytes);
}
