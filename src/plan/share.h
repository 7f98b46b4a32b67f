/* share.h - --share: several independent runs, each with its own file, divide the points of a job.
 *
 * Points are dealt out one by one in the order of work (plan/order.h), so that shares take about the same time. The order
 * depends only on the job, its timing and the seed, so the runs need not communicate. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARES_MAX 100000

/* Share `number` (from 1) of `of`. {0} and {1, 1} are all points. */
struct share {
    uint32_t number, of;
};

/* Parse "3/8". False if it is not a valid share. */
bool share_parse(const char *text, struct share *share);

/* Whether the point at `place` of the order of work is in the share. */
bool share_has(const struct share *share, size_t place);

/* How many of `points` points are in the share. */
size_t share_count(const struct share *share, size_t points);
