/* progression.h - closed-form costs of evenly spaced lanes, the common case. */
#pragma once

#include "family/family.h"

enum { LANES = 32, BANKS = 32, BANK_BYTES = 4 }; /* per warp; of shared memory; bytes of a bank's word */

/* Lane i of the first `lanes` starts at first + i * step. Descending lanes are reversed, which touches the same bytes. */
struct progression {
    uint64_t first, step;
    uint32_t lanes; /* 1 to LANES */
};

/* False: the active lanes are not the first ones, or not evenly spaced. */
bool progression_of(const struct access *access, struct progression *progression);

/* Distinct units of 1 << `shift` bytes, and distinct bytes, that lanes of `width` bytes touch; width <= 1 << shift. */
uint32_t progression_units(const struct progression *progression, uint32_t width, int shift);
uint32_t progression_bytes(const struct progression *progression, uint32_t width);

/* Wavefronts per group of 128 / `width` lanes: the distinct words in the busiest bank of shared memory. 0: no closed form, for
 * example if some lanes share words. */
uint32_t progression_wavefronts(const struct progression *progression, uint32_t width);
