/* components.h - how much each level adds to the variance of a point's times. */
#ifndef STATISTICS_COMPONENTS_H
#define STATISTICS_COMPONENTS_H

#include <stddef.h>
#include <stdint.h>

#include "statistics/levels.h"

/* Variances of the natural logarithm of a time, each what its level adds to those below. NaN: fewer than two
 * of that level anywhere, so it cannot be known. An estimate may be a little below 0, where the true one is
 * small: kept so, because averages over points must not lean upwards; components_sd shows it as 0. */
struct components {
    double sample, process, device, node;
};

/* Nested analysis of variance by moments (Searle, Casella & McCulloch 1992, chapter 3), with unweighted means
 * where numbers differ: samples in processes in devices in nodes. node_of[device] is a device's node; NULL:
 * all are of one. The sample's variance is by the MAD, which outliers do not move. Where every node has one
 * device, the two levels cannot be told apart: their sum is the device's, and node is NaN. */
struct components components_of(const struct levels_cell *cells, size_t count, const uint32_t *node_of);

/* The mean over points, passing over NaN. */
struct components components_mean(const struct components *points, size_t count);

/* The square root of one component, as a relative standard deviation; 0 for a negative one. */
double components_sd(double variance);

#endif
