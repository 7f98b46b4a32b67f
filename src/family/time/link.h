/* link.h - the time of a point between two devices: the packets that cross the link, the bytes that its blocks keep in flight, and
 * what a launch or a copy takes before its first byte. docs/model.md has the derivation. */
#pragma once

#include "core/bound.h"
#include "family/access/model.h"

/* What the launching device does. */
struct link_point {
    const struct point *point;
    const struct setup *setup;
    const struct prediction *accesses; /* NaN: bulk copies and the copy engine move whole lines */
    double bytes;                      /* useful, in one direction */
    bool pull;                         /* it reads the other device; else it writes to it */
    bool both_ways;                    /* the other device does the same at the same time */
    bool in_l2;                        /* the data stay in L2 of their devices */
    bool local;                        /* both ends are in L2 of one device: that is the link */
};

/* Bytes on the wire for a packet with `payload` bytes of data, over the `useful` ones of them: the others are sent as well, with
 * byte enables if the packet is a write. `both_ways`: requests of the other direction's reads are on the same wire. */
double link_wire_share(double payload, double useful, bool pull, bool both_ways);

/* Seconds, with the profile's values in `value`, and the bound of each resource in `part`. NaN where the profile lacks one. */
double link_seconds_of(const struct link_point *point, const double *value, double part[BOUND_COUNT]);
