/* heads.h - what people call a column, and the unit that they write its numbers in. */
#ifndef CLI_DATA_HEADS_H
#define CLI_DATA_HEADS_H

#include <stdbool.h>

#include "core/column.h"

struct head {
    char name[128];
    const char *unit; /* as LaTeX with siunitx has it; "" for none */
    double scale;     /* of the SI number: divide by it */
};

/* `name`: as the column is shown ("device.peak_copy"); `typical`: a usual magnitude of its reals, which chooses between
 * us and ms; NaN where that does not matter. */
struct head heads_of(const struct column *column, const char *name, double typical);

/* The columns that hold the ends of a column's interval: false when it has none. */
bool heads_interval(const char *name, const char **low, const char **high);

#endif
