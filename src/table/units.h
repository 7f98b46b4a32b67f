/* units.h - how a number is written: its unit, and as many digits as its interval allows. */
#pragma once

#include <stddef.h>

struct unit {
    const char *of;   /* the SI unit of the column: "s", "bytes/s" */
    const char *name; /* "us" */
    double scale;     /* a number in this unit is the SI number divided by it */
    double from;      /* the smallest SI magnitude that is written in it */
};

/* The unit for SI numbers of about this magnitude; NaN counts as 1. NULL: the table has no unit for `of`, numbers stay as
 * they are. */
const struct unit *units_choose(const char *of, double magnitude);

/* "4299 ± 4"; "4299 ± ?" where the interval is wider than the value; "4299" without an uncertainty. Texts are cut to `size`. */
void units_format(double value, double half, char *out, size_t size);
