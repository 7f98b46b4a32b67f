/* progression.h - accesses whose lanes lie evenly apart, as most do: what they touch, without keeping it in order. */
#ifndef FAMILY_ACCESS_PROGRESSION_H
#define FAMILY_ACCESS_PROGRESSION_H

#include "family/family.h"

enum { LANES = 32, BANKS = 32, BANK_BYTES = 4 }; /* of a warp; of shared memory */

/* Lane i, of the first `lanes`, starts at first + i * step; downward ones are turned round, which touches the same. */
struct progression {
    uint64_t first, step;
    uint32_t lanes; /* 1 to LANES */
};

/* False: the lanes that take part are not the first ones, or not evenly apart. */
bool progression_of(const struct access *access, struct progression *progression);

/* Of lanes that read or write `width` bytes each, at most 1 << `shift`: distinct units of 1 << `shift` bytes, and distinct bytes. */
uint32_t progression_units(const struct progression *progression, uint32_t width, int shift);
uint32_t progression_bytes(const struct progression *progression, uint32_t width);

/* Distinct words in the busiest bank of shared memory, of each group of lanes that one wavefront could serve if no two of them
 * shared a bank: 128 / `width` lanes. 0: not known here, as of words that some lanes share. */
uint32_t progression_wavefronts(const struct progression *progression, uint32_t width);

#endif
