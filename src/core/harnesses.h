/* harnesses.h - how other harnesses time a kernel: what the words of the axis `harness` (core/axis.h) mean.
 *
 * A harness is put together from what it does before a launch, what it queues between two events, and when
 * the host queues it. Its time is the mean over samples, from which nothing is subtracted. Families on one
 * device may have the axis. HARNESS_WARPSWEEP is not in the table: worker/cuda/measure.c has its rules. */
#pragma once

#include "core/point.h"

/* What is done to L2 before each sample. */
enum clearing {
    CLEAR_AS_CACHE, /* what the axis `cache` says */
    CLEAR_BUFFER,   /* ZEROED_BYTES are zeroed */
    CLEAR_L2,       /* as many bytes as L2 has are zeroed */
};
#define ZEROED_BYTES (UINT64_C(256) << 20)

struct harness_rules {
    enum clearing clear;
    uint32_t launches; /* between two events, in the stream */
    double seconds;    /* if not 0: as many launches as take so long */
    uint32_t replays;  /* if not 0: they are a new graph, which a sample replays so often */
    bool blocked; /* the stream is blocked until a sample is queued, so that no launch waits for the host */
    bool idle;    /* a sample is queued when the device is idle */
    bool bare;    /* nothing but events and launches is queued between two samples */
    const char *needs; /* the only state of `cache` that it leaves, or NULL: all but rotate */
};
extern const struct harness_rules harness_rules[HARNESSES];

/* The harness of a point; of families without the axis that of warpsweep. */
enum harness harness_of(const struct point *point);

/* NULL, or why the point's harness has no samples in its state of L2. */
const char *harness_refuses(const struct point *point, char *reason, size_t size);
