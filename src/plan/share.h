/* share.h - which of a job's points a run measures when several runs, each with a file of its own, do it together.
 *
 * Points are dealt out one by one in the order of work (plan/order.h), so that shares take about as long as each
 * other. The order hangs on the job, its timing and the seed alone: runs of one job need not know of each other. */
#ifndef PLAN_SHARE_H
#define PLAN_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARES_MAX 100000

/* Share `number` of `of`, from 1; {0} stands for all points, as {1, 1} does. */
struct share {
    uint32_t number, of;
};

/* "3/8". False when it is no share, or there is none of that number. */
bool share_parse(const char *text, struct share *share);

/* Whether the point at that place of the order of work is in the share. */
bool share_has(const struct share *share, size_t place);

/* How many of `points` are in it. */
size_t share_count(const struct share *share, size_t points);

#endif
