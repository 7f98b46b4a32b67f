/* health.h - which devices are to be trusted. Pure bookkeeping, without clock or MPI.
 *
 * A failure by itself says nothing: the point may be bad, or the device. So the point is tried elsewhere, and until
 * that is known it is *pending* against the device. Good elsewhere: the device is to *blame*. Bad there, too: it is
 * the point. A point that was good before (a canary, a replicate) is the device's fault at once. Any good result
 * clears the device. HEALTH_STRIKES failures in a row, pending or blamed, make it *suspect*: it is held until what is
 * pending is known. So many blamed ones make it *sick*. Points that are bad everywhere never do. */
#ifndef COORDINATOR_FAULTS_HEALTH_H
#define COORDINATOR_FAULTS_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEALTH_STRIKES 4

struct health; /* opaque */

/* `points` is how many the grid has. */
struct health *health_new(int ranks, size_t points);
void health_free(struct health *health);

/* The rank has measured the point well. */
void health_good(struct health *health, int rank, uint32_t index);

enum failure {
    FAILURE_FIRST,    /* of a point that is to be tried elsewhere: health_settle tells what came of it */
    FAILURE_LAST,     /* of a point that failed elsewhere before */
    FAILURE_REPEATED, /* of a canary's repetition or a replicate */
};
void health_bad(struct health *health, int rank, uint32_t index, enum failure failure);

/* What `rank` failed first was tried elsewhere. */
void health_settle(struct health *health, int rank, uint32_t index, bool good);

/* The same, when there was nowhere else, or nothing came of it: no evidence against the rank. */
void health_forget(struct health *health, int rank, uint32_t index);

enum health_state { HEALTH_TRUSTED, HEALTH_SUSPECT, HEALTH_SICK };
enum health_state health_state_of(const struct health *health, int rank);

bool health_last_was_good(const struct health *health, int rank); /* its last result was good */
int health_failures(const struct health *health, int rank);       /* in a row, of whatever points */
int health_blamed(const struct health *health, int rank);

/* Points that the rank was the last to fail, since its last good one: not to be believed if it is sick. */
const uint32_t *health_doubtful(const struct health *health, int rank, size_t *count);

#endif
