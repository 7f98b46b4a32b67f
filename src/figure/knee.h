/* knee.h - the laws of the access model (analysis/laws.h) that a figure states: `#: law NAME KNEE WORDS`. */
#ifndef FIGURE_KNEE_H
#define FIGURE_KNEE_H

#include "analysis/laws.h"
#include "figure/collect.h"

struct knee {
    const struct law *law;
    double x;          /* where along x the law bends; NaN: nowhere */
    const char *words; /* what the bend is called, or "" */
};

/* How well the points of curves keep a law. */
struct knee_count {
    size_t points, within;
    double worst; /* the largest relative deviation */
};

/* ERROR_ENVIRONMENT if the directive is malformed or the law unknown. */
int knee_read(const char *directive, struct knee *knee, struct error *error);

void knee_count(const struct knee *knee, const struct merged *merged, const struct series *series,
                struct knee_count *count);

/* Whether there are three points or more, and all of them keep it. */
bool knee_holds(const struct knee_count *count);

#endif
