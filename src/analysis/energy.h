/* energy.h - the energies of two sides of a comparison. */
#pragma once

#include <stdio.h>

#include "analysis/tables.h"

/* The ratios of the energies of a launch, of families with energy on both sides; nothing if no point has it. */
void energy_print(FILE *out, const struct comparison *comparison, const struct group *groups, size_t count,
                  size_t section);
