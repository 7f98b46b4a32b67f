/* chain.h - the time of dependent accesses, one after another, in this device's memory or in another's. docs/model.md has the sums. */
#pragma once

#include "core/bound.h"
#include "family/family.h"

struct chain_place {
    bool local;  /* the memory is that of the launching device */
    bool in_l2;  /* the data fit L2 */
    bool cached; /* and are there from the start */
};

/* Seconds, with the profile's values in `value`, and the bound of each resource in `part`. NaN where the profile lacks one. */
double chain_seconds_of(const struct chain *chain, const struct chain_place *place, const double *value,
                        double part[BOUND_COUNT]);
