/* finding.h - what comparing elements with their reference finds: mismatches, and how far the others are from
 * it.
 *
 * One thread has one finding; worker/verify.c joins them. */
#pragma once

#include "worker/verify.h"

/* How elements of a buffer are compared. */
struct comparison {
    enum dtype dtype;
    uint64_t size; /* bytes of an element */
    struct tolerance tolerance;
    int buffer;
};

/* {0}: nothing was compared. */
struct finding {
    uint64_t mismatches;
    double error_max;
    struct deviation deviation;
    uint64_t index, expected, actual; /* the mismatch of lowest index, when there is one; bits */
    struct bad_piece piece;
    double seconds, comparing; /* of all; of it, what comparing took */
};

/* Compare elements [index, index + count); both arrays are aligned for their type. */
void finding_compare(struct finding *finding, const struct comparison *by, uint64_t index,
                     const void *expected, const void *actual, uint64_t count);

/* Compare at most VERIFY_PIECE elements, of which each has an index of its own. */
void finding_compare_single(struct finding *finding, const struct comparison *by, const uint64_t *index,
                            const void *expected, const void *actual, uint64_t count);

void piece_merge(struct bad_piece *to, const struct bad_piece *from);
void deviation_add(struct deviation *to, const struct deviation *from);
