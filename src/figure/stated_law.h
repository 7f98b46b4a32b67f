/* stated_law.h - the laws of the access model (analysis/laws.h) that a figure states: `#: law NAME KNEE WORDS`. */
#pragma once

#include "analysis/laws.h"
#include "figure/collect.h"

struct stated_law {
    const struct law *law;
    double x;          /* where along x the law bends; NaN: nowhere */
    const char *words; /* what the bend is called, or "" */
};

/* How well the points of curves keep a law. */
struct law_tally {
    size_t points, within;
    double worst; /* the largest relative deviation */
};

/* ERROR_ENVIRONMENT if the directive is malformed or the law unknown. */
int stated_law_read(const char *directive, struct stated_law *stated, struct error *error);

void stated_law_count(const struct stated_law *stated, const struct merged *merged,
                      const struct series *series, struct law_tally *count);

/* Whether there are three points or more, and all of them keep it. */
bool stated_law_holds(const struct law_tally *count);
