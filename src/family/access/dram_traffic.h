/* dram_traffic.h - bytes of DRAM traffic, from the sectors of all accesses and a model of L2. */
#pragma once

#include "family/access/footprint.h"
#include "family/access/model.h"
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

/* Fill the predictions of DRAM and of what the launch leaves in L2; NaN: unknown. family/access/model.h describes the rules. */
void dram_traffic_predict(const struct dram_launch *launch, struct prediction *prediction);
