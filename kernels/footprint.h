/* footprint.h - which bytes of DRAM the accesses of some neighbouring blocks fetch: each granule once. */
#ifndef KERNELS_FOOTPRINT_H
#define KERNELS_FOOTPRINT_H

#include "kernels/family.h"

/* DRAM is read and written in pairs of sectors. */
#define GRANULE_BYTES 64

struct footprint;

struct footprint *footprint_new(void); /* owned by the caller: footprint_free */
void footprint_free(struct footprint *footprint);

/* Add an access to global memory that costs `cost` sectors. Does nothing once the footprint is full. */
void footprint_add(struct footprint *footprint, const struct access *access, double cost);
bool footprint_full(const struct footprint *footprint);

/* Half of the blocks have been added. */
void footprint_halfway(struct footprint *footprint);

/* Granules of a buffer that were loaded (`store`: stored) for each sector of cost; NaN when none was. */
double footprint_share(const struct footprint *footprint, int buffer, bool store);

/* When the second half of the blocks touched nothing new: the distinct granules; else NaN. */
double footprint_saturated(const struct footprint *footprint, int buffer, bool store);

#endif
