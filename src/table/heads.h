/* heads.h - the heading of a column, and the unit of its numbers. */
#pragma once

#include <stdbool.h>

#include "core/frame.h"

struct head {
    char name[128];
    const char *unit; /* "us", "%"; "" for none */
    double scale;     /* divide the SI number by it */
};

/* `name`: as the column is shown ("device.peak_copy"); `typical`: a usual magnitude of its reals, which chooses between
 * us and ms; NaN where that does not matter. */
struct head heads_of(const struct column *column, const char *name, double typical);

/* The columns of a frame that hold the ends of a column's interval: those of a time's are its confidence interval's, any
 * other's are called NAME_low and NAME_high. False when it has none. */
bool heads_interval(const struct frame *frame, const char *name, int *low, int *high);

/* Half of the width of the interval at a row; NaN when there is none. */
double heads_half_width(const struct frame *frame, const char *name, size_t row);

/* That of the time, as a share of it: what is divided by the time shares it. */
double heads_time_error(const struct frame *frame, size_t row);

/* That of the share of the roof, with the range of the roof; files before release 0.4 have no ranges, and it is the time's. */
double heads_share_error(const struct frame *frame, size_t row);
