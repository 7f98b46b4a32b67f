/* dram_traffic.h - from the sectors of all accesses to bytes of DRAM, L2 between them. */
#ifndef FAMILY_ACCESS_DRAM_TRAFFIC_H
#define FAMILY_ACCESS_DRAM_TRAFFIC_H

#include "family/access/footprint.h"
#include "family/access/tally.h"

/* What is known of a launch. */
struct dram_launch {
    const struct setup *setup;
    struct work work;
    const struct tally *all;           /* its accesses */
    const struct footprint *footprint; /* of some neighbouring blocks */
    double l2;                         /* bytes */
    double dirty; /* share of L2's lines when the launch begins; NaN: what it leaves itself */
};

/* NaN: not known. */
struct dram_traffic {
    double read, written;  /* bytes */
    double dirty_left;     /* share of L2's lines that the launch leaves dirty */
    double moved_read;     /* bytes read if L2 keeps nothing for later */
    double scattered_read; /* 0: in rows; 1: a granule here and there, each in a page of its own */
    double scattered_write;
};

/* family/access/model.h says by which rules. */
struct dram_traffic dram_traffic_of(const struct dram_launch *launch);

#endif
