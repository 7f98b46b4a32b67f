/* attempts.h - retry a point that failed, crashed or timed out once, on another device, and judge the devices
 * by it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/schedule/schedule.h"
#include "core/result.h"

struct run;

/* Let another rank retry the item that `rank` has failed. */
void attempts_retry(struct run *run, int rank, struct schedule_item item);

/* Whether another rank than `rank` could measure the item. */
bool attempts_has_other(struct run *run, int rank, const struct schedule_item *item);

/* Reassign a retry that a rank has returned unfinished. */
void attempts_pass_on(struct run *run, struct schedule_item item);

/* A retry by `rank` has ended: update the health of the rank that failed before. */
void attempts_settle(struct run *run, const struct schedule_item *item, int rank, enum status status);

/* Hold or release the rank by its current health. True if it is sick and must be quarantined. */
bool attempts_judge(struct run *run, int rank);

/* The rank is quarantined and lost: retry a point whose failure it alone has confirmed. */
void attempts_retry_final(struct run *run, int rank, uint32_t index);
