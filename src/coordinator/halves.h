/* halves.h - the results of an item: of its point, or of both points of a pair. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/schedule/schedule.h"
#include "core/result.h"

struct run;

/* What a rank has sent of an item: the result of its point, or of both points of a pair. */
struct halves {
    struct result *result[2]; /* borrowed */
    uint32_t index[2];
    int count;
    bool died;             /* the worker has died of the pair: nobody knows at which point */
    struct result made_up; /* of the second point then */
};
void halves_of(const struct run *run, const struct schedule_item *item, struct result *result,
               struct halves *halves);

/* Store what has come; a result that cannot be fails. A retry of a pair does not replace a good point by a
 * bad one. */
void halves_keep(struct run *run, int rank, const struct schedule_item *item, const struct halves *halves);

/* The status of an item: that of its worst point. */
enum status halves_worst(const struct halves *halves);

/* How many of its points have a status. */
unsigned halves_count(const struct halves *halves, enum status status);
