/* expectations.h - a cache of reference outputs, shared by points with equal data.
 *
 * Points with equal data axes have the same inputs and outputs (family_data_key), so one reference serves them all. The
 * cache is a ring buffer of fixed size: the oldest entries are evicted first, and each page is touched for the first time
 * only once. Thread-safe; an entry is written only by the thread that made it. */
#pragma once

#include <stdint.h>

struct expectation {
    uint64_t key;
    unsigned char *data; /* `bytes` of outputs, of which the first `known` are computed */
    uint64_t bytes;
    _Atomic uint64_t known;
};

/* A cache of `bytes` bytes; NULL if the system has no memory. No page is touched yet. The caller frees. */
struct expectations *expectations_new(uint64_t bytes);
void expectations_free(struct expectations *expectations);

/* The default size of a process's cache: 1 GiB, or a 32nd of the machine's memory if that is less. */
uint64_t expectations_standard_bytes(void);

/* Find or make an entry. A new entry has known = 0, and may evict older ones. NULL if it exceeds the cache, or if
 * `expectations` is NULL. Valid until another entry is made. */
struct expectation *expectations_find(struct expectations *expectations, uint64_t key, uint64_t bytes);

/* Find an entry; NULL if there is none. */
struct expectation *expectations_look(struct expectations *expectations, uint64_t key, uint64_t bytes);

/* Lock and unlock the cache against other threads. May be nested. NULL: no effect. */
void expectations_hold(struct expectations *expectations);
void expectations_release(struct expectations *expectations);
