/* verify.h - compare what ran with the family's C reference, wherever it ran.
 *
 * For each output buffer the back end asks for a plan, fetches what the plan names, and hands it over:
 *
 *   struct verification v = verify_start(family, point, &inputs, threads);
 *   struct verify_plan plan = verify_plan_buffer(&setup, buffer, seed);
 *   for each range:  verify_range(&v, &plan, range.first, range.count, block);
 *   in any portions: verify_samples(&v, &plan, first_sample, count, gathered);
 *   if (!verify_passed(&v)) verify_describe(&v, ...);
 *
 * Outputs up to 64 MiB are compared whole; of larger ones the head, the tail and 2^20 random elements. A
 * family may have some rows compared instead (struct setup). */
#pragma once

#include "core/result.h"
#include "family/family.h"
#include "protocol/config.h"

/* Every byte of an output before the run. It makes a NaN of every float type, so that an element that was
 * never written, or one that was and should not have been, fails under any tolerance. */
#define VERIFY_POISON 0xff

#define VERIFY_WHOLE_BYTES (UINT64_C(64) << 20) /* a larger output is sampled */
#define VERIFY_EDGE_BYTES  (UINT64_C(1) << 20)  /* head and tail, each */
#define VERIFY_SAMPLES     (UINT64_C(1) << 20)

#define VERIFY_ROWS_MAX 64

/* Of a sparse plan, in elements. */
#define SPARSE_WHOLE   (UINT64_C(1) << 11)
#define SPARSE_EDGE    (UINT64_C(1) << 8)
#define SPARSE_SAMPLES (UINT64_C(1) << 10)

/* Which elements of an output are compared. */
struct verify_plan {
    int buffer;
    uint64_t count; /* elements of the buffer */
    struct {
        uint64_t first, count;
    } range[VERIFY_ROWS_MAX]; /* contiguous elements to fetch, in their order */
    int ranges;
    uint64_t samples; /* single elements to gather; 0: the ranges are the whole */
    uint64_t seed;
};

struct verify_plan verify_plan_buffer(const struct setup *setup, int buffer, uint64_t seed);

/* The element that sample k < plan->samples is. Device code that gathers uses the same formula. */
static inline uint64_t verify_index(const struct verify_plan *plan, uint64_t k)
{
    return fill_bits(plan->seed, k) % plan->count;
}

/* How far elements are from their reference: sums of squares, and the largest difference. Of families that
 * are compared bit by bit, nothing. */
struct deviation {
    double squares, reference_squares, largest;
    uint64_t count;
};

/* Elements whose errors have a root mean square that is bounded (struct tolerance): of a range one after the
 * other. */
#define VERIFY_PIECE 64

/* Pieces that exceed the bound, and the one of lowest buffer, then lowest index. */
struct bad_piece {
    uint64_t count, index;
    int buffer;
    double rms, allowed;
};

/* What comparing has found so far. */
struct verification {
    const struct family *family;
    const struct point *point;
    const struct inputs *inputs;
    struct tolerance tolerance;
    int threads;
    struct expectations *kept; /* of earlier points, used and added to; NULL: every reference is computed */
    bool sparse;               /* compare few elements */
    bool whole;                /* compare all elements, however many they are */
    struct {
        const double *values; /* of a product (worker/product.h), in place of its reference; or NULL */
        uint64_t first;       /* element that values[0] is */
    } panel;

    uint64_t compared, mismatches; /* elements */
    uint64_t by_product;           /* of `compared`: by such values */
    double error_max; /* largest |actual - expected| / |expected|; infinite when either is not finite */
    struct deviation deviation;
    struct bad_piece piece;
    int bad_buffer; /* the first mismatch: lowest buffer, then lowest index; -1: none */
    uint64_t bad_index;
    uint64_t bad_expected, bad_actual; /* its bits */
};

/* The plan of a buffer for what is started: verify_plan_buffer, a sparse one, or all elements. */
struct verify_plan verify_plan_for(const struct verification *v, int buffer, uint64_t seed);

/* Whether the references of all outputs are kept, by plans of the inputs' seed: inputs->data is then not
 * looked at. */
bool verify_is_known(const struct verification *v);

/* The same of elements [first, first + count) of a range of the plan. */
bool verify_range_is_known(const struct verification *v, const struct verify_plan *plan, uint64_t first,
                           uint64_t count);

/* Compute the plan's elements and keep them, before anything ran: nothing is compared, and the timeline is
 * told nothing. Does nothing where nothing can be kept. */
void verify_expect(struct verification *v, const struct verify_plan *plan);

/* Start comparing, with nothing kept. What is pointed to must outlive it; there is nothing to free. */
struct verification verify_start(const struct family *family, const struct point *point,
                                 const struct inputs *inputs, int threads);

/* Compare elements [first, first + count) of the plan's buffer, which lie in `actual`. */
void verify_range(struct verification *v, const struct verify_plan *plan, uint64_t first, uint64_t count,
                  const void *actual);

/* Compare samples [first, first + count): actual[i] is element verify_index(plan, first + i). */
void verify_samples(struct verification *v, const struct verify_plan *plan, uint64_t first, uint64_t count,
                    const void *actual);

/* At least one element was compared, and all were right. */
bool verify_passed(const struct verification *v);

/* What comparing has found, into the result: how many elements, the errors, and, when something is
 * wrong, failure and the first mismatch. */
void verify_conclude(const struct verification *v, struct result *result);

/* "output 'out'[123]: expected 1.5, got nan; 17 of 1048576 compared elements differ" */
void verify_describe(const struct verification *v, char *out, size_t size);

/* ---- A cache of reference outputs, shared by points with equal data ----
 *
 * Points with equal data axes have the same inputs and outputs (family_data_key), so one reference serves
 * them all. The cache is a ring buffer of fixed size: the oldest entries are evicted first, and each page is
 * touched for the first time only once. One thread at a time. */

struct expectation {
    uint64_t key;
    unsigned char *data; /* `bytes` of outputs, of which the first `known` are computed */
    uint64_t bytes;
    uint64_t known;
    bool by_product; /* they come from a product's values */
};

/* A cache of `bytes` bytes; NULL if the system has no memory. No page is touched yet. The caller frees. */
struct expectations *expectations_new(uint64_t bytes);
void expectations_free(struct expectations *expectations);

/* The default size of a process's cache: 1 GiB, or a 32nd of the machine's memory if that is less. */
uint64_t expectations_standard_bytes(void);

/* Find an entry, or make one if `make`. A new entry has known = 0, and may evict older ones. NULL if there is
 * none, if it exceeds the cache, or if `expectations` is NULL. Valid until another entry is made. */
struct expectation *expectations_find(struct expectations *expectations, uint64_t key, uint64_t bytes,
                                      bool make);

/* ---- Reference outputs of the next points, computed while the device is busy with this one ----
 *
 * One thread, helped by the pool, computes the announced points in order. The thread that verifies a point
 * claims it first: this waits until the point is done, and stops the other thread until release. Only that
 * wait is in the timeline. */

/* Prefetch needs this many processors: with fewer, the thread that times would not have one to itself. */
#define PREFETCH_PROCESSORS_MIN 4

/* Points in the queue, at most. */
#define PREFETCH_AHEAD_MAX LOOK_AHEAD_PREFETCH

struct reference_prefetch; /* opaque */

/* `threads`: threads of the pool. `expectations` must outlive the result; if NULL, nothing is computed.
 * `few`: for what the referee compares, or NULL. `large_products`: references of these are computed, too
 * (worker/product.h). The caller frees. */
struct reference_prefetch *reference_prefetch_new(struct expectations *expectations, struct expectations *few,
                                                  int threads, bool large_products);
void reference_prefetch_free(struct reference_prefetch *prefetch); /* waits for the point in work */

/* Queue a copy of a point after this one, whose inputs are made from `seed`, and for the referee from
 * `secret`. Does nothing if the point is queued already, if the target does not support it, or without
 * expectations. False: the queue is full; the caller must stop, because points are claimed in the order of
 * their announcement. */
bool reference_prefetch_announce(struct reference_prefetch *prefetch, const struct point *point,
                                 const struct target *target, uint64_t seed, uint64_t secret);

/* Wait until the point is done, if it was announced, and for the one in work. Until
 * reference_prefetch_release no other is started: the expectations and the pool are the caller's. */
void reference_prefetch_claim(struct reference_prefetch *prefetch, const struct point *point, uint64_t seed);

/* The same of `few`, for a point that was claimed: waits for the other thread if it is adding to them. */
void reference_prefetch_claim_few(struct reference_prefetch *prefetch);

/* Of both; allowed without a claim. */
void reference_prefetch_release(struct reference_prefetch *prefetch);

/* Empty the queue and wait for the point in work, so that all processors are free. */
void reference_prefetch_clear(struct reference_prefetch *prefetch);

/* ---- Inputs (family/fill.h) in host memory ---- */

/* Fill `out`, as large as the buffer, with several threads. `seed`: that of the buffer. */
void materialise_buffer(const struct buffer *buffer, uint64_t seed, int threads, void *out);

/* Fill inputs->data of every input, for references that read elements many times. */
void materialise_inputs(struct inputs *inputs);

/* Free inputs->data. */
void materialise_release(struct inputs *inputs);

/* Whether the host's memory suffices for the reference of the point: some take whole arrays. -1 with the
 * reason. */
int reference_check_memory(const struct point *point, const struct setup *setup, struct error *error);
