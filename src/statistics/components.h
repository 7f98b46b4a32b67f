/* components.h - variance components of a point's times: device, process, sample. */
#pragma once

#include <stddef.h>

#include "statistics/levels.h"

/* Variances of the natural logarithm of a time, added by each level. NaN: no level has two members, so there is no estimate. An
 * estimate may be slightly negative if the true variance is small; it is kept, so that means over points are unbiased.
 * components_sd shows it as 0. */
struct components {
    double sample, process, device;
};

/* Nested analysis of variance by moments (Searle, Casella & McCulloch 1992, chapter 3) of samples in processes in devices, with
 * unweighted means if group sizes differ. The sample variance comes from the MAD, which is robust against outliers. */
struct components components_of(const struct levels_cell *cells, size_t count);

/* The square root of one component, as a relative standard deviation; 0 for a negative one. */
double components_sd(double variance);
