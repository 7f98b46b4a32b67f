/* floors.h - the overhead of timing, measured in each process because it differs between processes. */
#pragma once

#include "worker/cuda/timing/timer.h"

/* For an empty kernel, in seconds. */
struct floors {
    double events; /* two events with nothing between them */
    double single; /* one launch between two events */
    double graph;  /* a graph of one launch between two events */
    double node;   /* each further launch of a graph */
};

/* Measure them after the clock has risen. */
struct floors floors_measure(struct cuda_session *session, struct timer *timer);

/* Overhead of a sample of one launch, and of a sample of a graph. */
static inline double floors_of_single(const struct floors *floors)
{
    return floors->single - floors->node;
}
static inline double floors_of_graph(const struct floors *floors)
{
    return floors->graph - floors->node;
}
