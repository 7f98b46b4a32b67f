/* host.h - the host back end: the processor as a device, moving through its memory on all threads, and a
 * point on it. */
#pragma once

#include "worker/backend.h"

/* The processor and its memory, as far as they are known without measuring. `multiprocessors` is the number
 * of CPUs this process may run on, `l2_bytes` all last-level caches of those CPUs together. */
struct device host_device(void);

/* ---- Moving through large arrays on all threads: peaks, cache flushes and the memcpy baseline ---- */

/* Zeroed pages, huge ones where the kernel gives them; NULL when it gives none. host_pages_free takes NULL
 * too. */
void *host_pages_new(size_t bytes);
void host_pages_free(void *pages, size_t bytes);

void host_stream_copy(int threads, void *to, const void *from, uint64_t bytes);
void host_stream_write(int threads, void *to, int byte, uint64_t bytes);
void host_stream_read(int threads, const void *from, uint64_t bytes); /* whole cache lines */

/* How many bytes of last-level cache to reckon with: the device's, or a plentiful guess when that is
 * unknown. */
uint64_t host_cache_bytes(const struct device *device);

/* Measure peak_copy, peak_read, peak_write, peak_l2_read and launch_floor (waking threads for nothing). What
 * has no meaning here, or finds no memory, stays NaN. */
void host_stream_peaks(int threads, struct device *device);

/* ---- A point: its arrays, and its launches, which are runs of the C reference or of the family's call */

/* What the process holds while it lives. */
struct host {
    struct config config;
    struct device device;
    /* References of equal data, and of the launch behind the last sample. */
    struct expectations *expectations;
    unsigned char *flush; /* read through to empty the caches */
    uint64_t flush_bytes;
};

struct host_run {
    struct host *host;
    const struct family *family;
    const struct point *point;
    struct setup setup;
    enum cache_mode cache;
    uint64_t seed;        /* of the inputs */
    unsigned char *pages; /* `sets` times `set_bytes`; owned unless borrowed */
    bool borrowed;        /* they are those of the other point of a pair */
    uint64_t set_bytes, offset[SETUP_BUFFERS_MAX];
    uint32_t sets, next;    /* sets the samples walk over; the one that is next */
    struct host_run *other; /* of a pair: both walk over the same sets */
    struct call call;       /* open if `calls` */
    bool calls;             /* launches run the family's call */
    bool failed;            /* a call has; call.reason says why */
};

/* Lay out the buffers of one set, and as many sets as the cache mode asks for; fill the inputs, poison the
 * outputs. Refuses the point when memory is short. */
void host_run_place(struct host_run *run, struct trial *trial);

/* Before the launch behind the last sample: outputs of the first set, which is the next, are poisoned, and
 * what a launch changes in place is as it was. Inputs are left alone: a launch that has changed them has a
 * wrong output now. */
void host_run_poison(struct host_run *run);

/* Fill the inputs of the first set by run->seed. With `poison` also poison its outputs. */
void host_run_renew(struct host_run *run, bool poison);
void host_run_release(struct host_run *run);

void *host_run_buffer(const struct host_run *run, uint32_t set, int buffer);

/* The inputs of one set, in memory, for the reference. */
struct inputs host_run_inputs(const struct host_run *run, uint32_t set);

/* Prepare the launches of a point that is placed; fails the point if its call cannot be opened. */
void host_run_open(struct host_run *run, struct trial *trial);

/* One launch, on the next set. A call that fails sets `failed`, and is not called again. */
void host_run_launch(struct host_run *run);

/* The other sets of a rotation hold what the first does. */
void host_run_copy_sets(const struct host_run *run);

/* Let the second point of a pair use the buffers of the first, which are equal, and walk over its sets. The
 * first is released before the second, or after it. */
void host_run_share(struct host_run *first, struct host_run *second);

/* Empty the caches of what the point touches. */
void host_run_flush(const struct host_run *run);
