/* results.h - handle the results of ranks: write rows, retry failures, hold or quarantine devices, and reassign the points
 * of lost ranks. */
#pragma once

#include "coordinator/measuring.h"

void results_take(struct measuring *measuring, struct coordinator_context *context, int rank,
                  struct wire_reader *payload);

/* A rank is lost: reassign what it has not finished. If it is silent, its current point counts as an attempt, because the
 * point may be the cause. */
void results_lose(struct measuring *measuring, struct coordinator_context *context, int rank);

/* Start the next round of replicates of a rank whose own queue is empty, if rounds have begun or it should not take new points. */
void results_issue_round(struct measuring *measuring, const struct coordinator_context *context, int rank);
