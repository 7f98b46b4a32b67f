/* measuring.h - the main phase: hand out points. results.h handles what comes back. */
#pragma once

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
    size_t replicates_failed;
    size_t retried_ok;      /* points that succeeded on retry */
    size_t uncounted;       /* points that are timed but not counted */
    size_t counters_failed; /* points whose counting has killed the worker */
    int counting;           /* ranks with points that are timed but not counted */
    bool stopping;
};

void measuring_start(struct measuring *measuring, struct coordinator_context *context);
/* Hand out nothing more. Running points may finish within `grace` seconds. */
void measuring_stop(struct measuring *measuring, struct coordinator_context *context, double grace);

/* Hand out work. True when everything is done. */
bool measuring_step(struct measuring *measuring, struct coordinator_context *context);

void measuring_end(struct measuring *measuring);
