/* halves.h - the result of an item, of one point or of both points of a pair, and how it is stored. */
#pragma once

#include "coordinator/measuring.h"

/* What a rank has sent of an item: the result of its point, or of both points of a pair. */
struct halves {
    struct result *result[2];
    uint32_t index[2];
    int count;
    bool died;             /* the worker has died of the pair: nobody knows at which point */
    struct result made_up; /* of the second point then */
};

/* `result` is borrowed. */
void halves_of(const struct coordinator_context *context, const struct schedule_item *item,
               struct result *result, struct halves *halves);

/* Store what has come. A retry of a pair does not replace a good point by a bad one. */
void halves_keep(struct measuring *measuring, struct coordinator_context *context, int rank,
                 const struct schedule_item *item, const struct halves *halves);

/* The status of an item: that of its worst point. */
enum status halves_worst(const struct halves *halves);

/* Record whether an item of a rank's batch is still to be counted. */
void halves_await_counters(struct measuring *measuring, struct member *member, int place, bool awaited);
