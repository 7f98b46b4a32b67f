/* grid_tally.h - the cost of all accesses of a launch, evaluated for a sample of its warps. */
#pragma once

#include "family/access/footprint.h"
#include "family/access/tally.h"

/* A launch of a family that has an access function. */
struct launch {
    const struct point *point;
    const struct family *family;
    const struct setup *setup;
    int capability; /* compute capability that the code is compiled for */
    uint64_t blocks, warps /* per block */;
    uint64_t calls;             /* accesses of the middle block, up to a limit */
    bool ragged;                /* blocks are not whole warps: neighbours differ in alignment to sectors */
    struct footprint *watching; /* every evaluated access is added to it; may be NULL */
};

/* Keeps the pointers. */
struct launch launch_of(const struct point *point, const struct setup *setup, int capability);

/* The cost of all accesses of all warps. family/access/model.h describes the sample and its accuracy. */
struct tally launch_tally(struct launch *launch);

/* The footprint of neighbouring blocks in the middle of the grid, or of all blocks. */
void launch_watch(struct launch *launch, struct footprint *footprint);
