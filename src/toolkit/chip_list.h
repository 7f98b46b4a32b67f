/* chip_list.h - the chips that this release knows, and the counter columns that each of them lacks. */
#pragma once

#include <stdbool.h>

/* The CUPTI that the list was made with. */
#define CHIP_LIST_SOURCE "CUPTI 13.0"

struct chip_known {
    const char *name;  /* CUPTI's */
    const char *about; /* products */
    unsigned lacks;    /* groups of columns */
};

/* Ended by a chip without name. */
extern const struct chip_known chips_known[];

const struct chip_known *chip_list_find(const char *name); /* NULL: not in the list */

/* Whether the chip has a column of core/metric.h. */
bool chip_list_has(const struct chip_known *chip, const char *column);
