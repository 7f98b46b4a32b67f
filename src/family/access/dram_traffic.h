/* dram_traffic.h - bytes of DRAM traffic, from the sectors of all accesses and a model of L2. */
#ifndef FAMILY_ACCESS_DRAM_TRAFFIC_H
#define FAMILY_ACCESS_DRAM_TRAFFIC_H

#include "family/access/footprint.h"
#include "family/access/tally.h"

/* Input of the model. */
struct dram_launch {
    const struct setup *setup;
    struct work work;
    const struct tally *all;           /* all its accesses */
    const struct footprint *footprint; /* of a sample of neighbouring blocks */
    double l2;                         /* bytes */
    double
        dirty; /* share of L2's lines that are dirty at the start; NaN: as many as the launch leaves dirty */
};

/* Output; NaN: unknown. */
struct dram_traffic {
    double read, written;  /* bytes */
    double dirty_left;     /* share of L2's lines that the launch leaves dirty */
    double moved_read;     /* bytes read without reuse in L2 */
    double scattered_read; /* 0: whole DRAM rows; 1: single granules, each in another DRAM page */
    double scattered_write;
};

/* family/access/model.h describes the rules. */
struct dram_traffic dram_traffic_of(const struct dram_launch *launch);

#endif
