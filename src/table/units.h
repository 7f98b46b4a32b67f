/* units.h - how a number is written: its unit, and as many digits as its interval allows. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct unit {
    const char *of;                    /* the SI unit of the column: "s", "bytes/s" */
    const char *name, *symbol, *latex; /* "us", "µs", "\si{\micro\second}" */
    double scale;                      /* a number in this unit is the SI number divided by it */
    double from;                       /* the smallest SI magnitude that is written in it */
};

/* The unit for SI numbers of about this magnitude; NaN counts as 1. NULL: the table has no unit for `of`, numbers stay as
 * they are. */
const struct unit *units_choose(const char *of, double magnitude);

/* The unit of that name or symbol, the first `length` bytes of `name`; NULL: none. */
const struct unit *units_find(const char *name, size_t length);

/* The scale of the unit of that name; 1 where the table has none. */
double units_scale(const char *name);

/* Whether an interval says nothing of its value, because it is wider than that. */
bool units_is_unknown(double value, double half);

/* "4299 ± 4"; "4299 ± ?" where units_is_unknown; "4299" without an uncertainty. Texts are cut to `size`. */
void units_format(double value, double half, char *out, size_t size);

/* The same as siunitx reads it: "4299(4)". */
void units_format_short(double value, double half, char *out, size_t size);
