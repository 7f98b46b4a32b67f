/* grid_tally.h - what all accesses of a launch cost, by going through some of its warps. */
#ifndef FAMILY_ACCESS_GRID_TALLY_H
#define FAMILY_ACCESS_GRID_TALLY_H

#include "family/access/footprint.h"
#include "family/access/tally.h"

/* A launch whose family tells its accesses. */
struct launch {
    const struct point *point;
    const struct family *family;
    const struct setup *setup;
    int capability; /* of the architecture that the code is compiled for */
    uint64_t blocks, warps /* of a block */;
    uint64_t calls;             /* accesses of a block in the middle, as far as it matters */
    bool ragged;                /* blocks are no whole warps: neighbours do not start alike within a sector */
    uint64_t thrift;            /* 1; or so many times fewer accesses are gone through */
    struct footprint *watching; /* grows with every access; NULL: nobody watches */
};

/* `thorough`: as family/access/model.h has it; else a sixteenth of the accesses. Valid as long as what it points to. */
struct launch launch_of(const struct point *point, const struct setup *setup, int capability, bool thorough);

/* All accesses of all warps: family/access/model.h says which stand for the others, and how exact that is. */
struct tally launch_tally(struct launch *launch);

/* What neighbouring blocks fetch: a window in the middle, or all there are. */
void launch_watch(struct launch *launch, struct footprint *footprint);

#endif
