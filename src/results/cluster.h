/* cluster.h - the devices of one product in a results file, compared over all points. */
#pragma once

#include "statistics/components.h"
#include "statistics/fleet.h"
#include "store/store.h"

struct cluster_device {
    size_t row; /* of /devices */
    struct fleet_device judged;
    double low, high; /* 5th and 95th percentile over points of log(time / median over devices) */
    size_t processes; /* that measured on it */
};

/* cluster_free releases it. */
struct cluster {
    const char *product;           /* of the dataset */
    struct cluster_device *device; /* owned; the slowest first */
    size_t devices, points;        /* points that at least three devices measured */
    size_t nodes;
    struct fleet_rule rule;
    struct fleet fleet;
    struct components components; /* the mean over points */
};

/* One per product, in the order of /devices; the caller frees each, and the list. `threshold`: the smallest effect that
 * matters. */
struct cluster *clusters_of(const struct dataset *dataset, double threshold, size_t *count);
void cluster_free(struct cluster *cluster);
