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
 * Outputs up to 64 MiB are compared whole; of larger ones the head, the tail and 2^20 random elements. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/result.h"
#include "family/family.h"
#include "worker/expectations.h"

/* Every byte of an output before the run. It makes a NaN of every float type, so that an element that was
 * never written, or one that was and should not have been, fails under any tolerance. */
#define VERIFY_POISON 0xff

#define VERIFY_WHOLE_BYTES (UINT64_C(64) << 20) /* a larger output is sampled */
#define VERIFY_EDGE_BYTES  (UINT64_C(1) << 20)  /* head and tail, each */
#define VERIFY_SAMPLES     (UINT64_C(1) << 20)

/* Which elements of an output are compared. */
struct verify_plan {
    int buffer;
    uint64_t count; /* elements of the buffer */
    struct {
        uint64_t first, count;
    } range[2]; /* contiguous elements to fetch */
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

/* How far elements are from their reference: sums of squares, and the largest difference. Of families that are compared bit by
 * bit, nothing. */
struct deviation {
    double squares, reference_squares, largest;
    uint64_t count;
};

/* What comparing has found so far. */
struct verification {
    const struct family *family;
    const struct point *point;
    const struct inputs *inputs;
    struct tolerance tolerance;
    int threads;
    struct expectations *kept; /* of earlier points, used and added to; NULL: every reference is computed */

    uint64_t compared, mismatches; /* elements */
    double error_max; /* largest |actual - expected| / |expected|; infinite when either is not finite */
    struct deviation deviation;
    int bad_buffer; /* the first mismatch: lowest buffer, then lowest index; -1: none */
    uint64_t bad_index;
    uint64_t bad_expected, bad_actual; /* its bits */
};

/* Whether nothing of the plan's buffer has to be computed: inputs->data is then not looked at. */
bool verify_is_known(const struct verification *v, const struct verify_plan *plan);

/* Whether the reference of some output has yet to be computed, and can be kept. */
bool verify_lacks(const struct verification *v);

/* Compute the plan's elements and keep them, before anything ran: nothing is compared, and the timeline is told nothing.
 * Does nothing where nothing can be kept. */
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
