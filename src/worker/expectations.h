/* expectations.h - what references said, for points that share it.
 *
 * Points that differ only in how they do it have the same inputs and outputs (family_data_key), so what was expected of the
 * first is kept for the others. One piece of memory of fixed size, used round and round: what is oldest goes first, and pages
 * are touched for the first time once. Several threads may look at the same time; each writes only what it alone made. */
#ifndef WORKER_EXPECTATIONS_H
#define WORKER_EXPECTATIONS_H

#include <stdint.h>

struct expectation {
    uint64_t key;
    unsigned char *data; /* `bytes` of it, of which the first `known` are there */
    uint64_t bytes;
    _Atomic uint64_t known;
};

/* Memory for `bytes` of them, none of which is touched yet; NULL when the system has none. Caller frees. */
struct expectations *expectations_new(uint64_t bytes);
void expectations_free(struct expectations *expectations);

/* What one process may well keep on this machine: 1 GiB, or a 32nd of its memory. */
uint64_t expectations_standard_bytes(void);

/* The expectation of that key and size: as it was left, or a new one of which nothing is known, for which older ones may have
 * gone. NULL when it is larger than all the memory, or `expectations` is NULL. Valid until another one is made. */
struct expectation *expectations_find(struct expectations *expectations, uint64_t key, uint64_t bytes);

/* The same, but NULL where nothing was left. */
struct expectation *expectations_look(struct expectations *expectations, uint64_t key, uint64_t bytes);

/* Between the two no other thread finds, or makes, anything. One may be within the other, in one thread. NULL: nothing. */
void expectations_hold(struct expectations *expectations);
void expectations_release(struct expectations *expectations);

#endif
