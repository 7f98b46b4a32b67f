/* health.h - which devices can be trusted. Uses neither clock nor MPI.
 *
 * A failure may be the fault of the point or of the device. So the point is retried elsewhere; until then it is *pending*
 * against the device. If it succeeds elsewhere, the device is *blamed*; if it fails there too, the point is at fault. If a
 * point fails that has succeeded before (a canary, a replicate), the device is blamed at once. Any success clears the
 * device. HEALTH_STRIKES pending or blamed failures in a row make it *suspect*: it is held until they are decided. As many
 * blamed ones make it *sick*. Points that fail everywhere never do. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEALTH_STRIKES 4

struct health; /* opaque */

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

bool health_last_was_good(const struct health *health, int rank); /* its last result was a success */
int health_failures(const struct health *health, int rank);       /* in a row */
int health_blamed(const struct health *health, int rank);

/* Points whose failure the rank has confirmed since its last success: doubtful if the rank is sick. */
const uint32_t *health_doubtful(const struct health *health, int rank, size_t *count);
