/* footprint.h - the distinct bytes of DRAM that a sample of neighbouring blocks touches. */
#pragma once

#include "family/family.h"

/* Bytes: loads fetch pairs of sectors from DRAM, unless a limit or a qualifier says otherwise. Stores write single sectors back. */
#define GRANULE_BYTES 64

struct footprint;

/* `granule`: bytes that a load fetches, aligned: a power of two, at least a sector. The caller frees it by footprint_free. */
struct footprint *footprint_new(uint32_t granule);
uint32_t footprint_granule(const struct footprint *footprint);
void footprint_free(struct footprint *footprint);

/* Add an access to global memory that costs `cost` sectors. A full footprint ignores it. */
void footprint_add(struct footprint *footprint, const struct access *access, double cost);
bool footprint_full(const struct footprint *footprint);

/* To be called when half of the blocks have been added. */
void footprint_halfway(struct footprint *footprint);

/* The loads from one buffer, or the stores to it. */
struct footprint_part {
    double share; /* bytes of DRAM, fetched or written back, per sector of cost; NaN: no access */
    double
        saturated;  /* bytes of DRAM in all, if the second half of the blocks touched nothing new; else NaN */
    double partial; /* stores: share of the sectors that are written only in part */
    double run;     /* mean length of contiguous runs of DRAM bytes; NaN: no access */
};
struct footprint_part footprint_part(const struct footprint *footprint, int buffer, bool store);
