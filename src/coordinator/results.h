/* results.h - what ranks send while points are measured, and what follows: rows, further attempts, devices that are held
 * or quarantined; and what becomes of the work of a rank that is lost. */
#ifndef COORDINATOR_RESULTS_H
#define COORDINATOR_RESULTS_H

#include "coordinator/measuring.h"

void results_take(struct measuring *measuring, struct coordinator_context *context, int rank,
                  struct wire_reader *payload);
void results_take_counted(struct measuring *measuring, struct coordinator_context *context, int rank,
                          struct wire_reader *payload);

/* A rank is lost: others get what it has not finished. The point that a silent one was at has had an attempt: it may
 * be what silenced it. */
void results_lose(struct measuring *measuring, struct coordinator_context *context, int rank);

/* A rank that has done all that is queued for it goes on to its next round of further processes. */
void results_issue_round(struct measuring *measuring, int rank);

/* Note whether an item of a rank's batch is still to be counted. */
void results_await_counters(struct measuring *measuring, struct member *member, int place, bool awaited);

#endif
