/* health.h - which devices can be trusted. Uses neither clock nor MPI.
 *
 * A failure may be the fault of the point or of the device. So the point is retried elsewhere; until then it
 * is *pending* against the device. If it succeeds elsewhere, the device is *blamed*; if it fails there too,
 * the point is at fault. If a point fails that has succeeded before (a canary, a replicate), the device is
 * blamed at once. Any success clears the device. HEALTH_STRIKES pending or blamed failures in a row make it
 * *suspect*: it is held until they are decided. As many blamed ones make it *sick*. Points that fail
 * everywhere never do. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEALTH_STRIKES 4

struct health_list {
    uint32_t *index;
    size_t count, capacity;
};

/* What is known of a rank's device. All lists hold indices of points since its last success. */
struct health_device {
    struct health_list pending;  /* failed here first; the retry elsewhere is not finished */
    struct health_list last;     /* failed here finally: doubtful if the device is sick */
    struct health_list repeated; /* repetitions of points that nobody has finished */
    int blamed, failures;        /* in a row */
    bool last_was_good;          /* its last result was a success */
};

struct health {
    struct health_device *device; /* of each rank */
    int ranks;
    uint64_t *good;   /* a bit per point: some device has succeeded */
    size_t undecided; /* entries of all `repeated` */
};

/* `points`: of the grid. */
struct health *health_new(int ranks, size_t points);
void health_free(struct health *health);

/* The point has succeeded on the rank. */
void health_good(struct health *health, int rank, uint32_t index);

enum failure {
    FAILURE_FIRST,    /* of a point that is retried elsewhere; health_settle follows */
    FAILURE_LAST,     /* of a point that has failed elsewhere before */
    FAILURE_REPEATED, /* of a repetition of a canary, or a replicate */
};
void health_bad(struct health *health, int rank, uint32_t index, enum failure failure);

/* The point that `rank` failed first was retried elsewhere. */
void health_settle(struct health *health, int rank, uint32_t index, bool good);

/* The same without a verdict: it was not retried on another device, or is unsupported. */
void health_forget(struct health *health, int rank, uint32_t index);

enum health_state { HEALTH_TRUSTED, HEALTH_SUSPECT, HEALTH_SICK };
enum health_state health_state_of(const struct health *health, int rank);
