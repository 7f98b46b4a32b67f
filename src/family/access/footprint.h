/* footprint.h - which bytes of DRAM the accesses of some neighbouring blocks fetch: each granule once. */
#ifndef FAMILY_ACCESS_FOOTPRINT_H
#define FAMILY_ACCESS_FOOTPRINT_H

#include "family/family.h"

/* Loads fetch pairs of sectors from DRAM; stores write single ones back. */
#define GRANULE_BYTES 64

struct footprint;

struct footprint *footprint_new(void); /* owned by the caller: footprint_free */
void footprint_free(struct footprint *footprint);

/* Add an access to global memory that costs `cost` sectors. Does nothing once the footprint is full. */
void footprint_add(struct footprint *footprint, const struct access *access, double cost);
bool footprint_full(const struct footprint *footprint);

/* Half of the blocks have been added. */
void footprint_halfway(struct footprint *footprint);

/* What of a buffer was loaded (`store`: stored). */
struct footprint_part {
    double share; /* bytes of DRAM, fetched or written back, for each sector of cost; NaN: no access */
    double
        saturated;  /* all bytes of DRAM, when the second half of the blocks touched nothing new; else NaN */
    double partial; /* of stores: share of the sectors that were not written whole */
    double run;     /* bytes of DRAM that lie in a row, on average; NaN: no access */
};
struct footprint_part footprint_part(const struct footprint *footprint, int buffer, bool store);

#endif
