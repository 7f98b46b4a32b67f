/* chip.h - what a chip offers of the counter columns of core/metric.h, without a GPU. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* `chip` is CUPTI's name for it: GH100, GB100, GB202. A column is one of core/metric.h, or else a CUPTI
 * metric. Tells for each whether the chip has it, and how many passes those that it has need together.
 * ERROR_ENVIRONMENT when there is no CUPTI, or one that does not know the chip. */
int cuda_chip_ask(const char *chip, const char *const *columns, uint32_t count, bool *has, uint32_t *passes,
                  struct error *error);
