/* measuring.h - the phase that it is all about: points go out, results come back. */
#ifndef COORDINATOR_MEASURING_H
#define COORDINATOR_MEASURING_H

#include "coordinator/faults/attempts.h"
#include "coordinator/schedule/replicates.h"
#include "coordinator/schedule/schedule.h"
#include "coordinator/state/canaries.h"
#include "coordinator/state/context.h"

struct measuring {
    struct schedule *schedule;
    struct canaries canaries;
    struct replicates *replicates;
    struct attempts attempts;
    size_t replicates_failed, canaries_failed;
    size_t retried_ok;      /* points that came right at a further attempt */
    size_t uncounted;       /* points that were timed and are not counted yet */
    size_t counters_failed; /* points that counting died of */
    int counting;           /* ranks that hold what was timed and is not counted yet */
    bool stopping;
};

void measuring_start(struct measuring *measuring, struct coordinator_context *context);
/* Hand out nothing more; what runs may end within `grace` seconds. */
void measuring_stop(struct measuring *measuring, struct coordinator_context *context, double grace);

/* Hand out. True when all is done. */
bool measuring_step(struct measuring *measuring, struct coordinator_context *context);

void measuring_end(struct measuring *measuring);

#endif
