/* between.h - what a further run and a further unit of a product add to the variance of a time.
 *
 * The interval of a run comes from its processes. Another run of the same unit may add to that, and another unit does: chips of
 * one product differ. Both are estimated from several runs of one job: nested analysis of variance by moments (Searle, Casella &
 * McCulloch 1992, chapter 3) of the logarithms of the times, runs in units, less the variance that each run's own estimate
 * explains. All variances are of natural logarithms. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statistics/levels.h"

#define BETWEEN_LONG 1e-4 /* s: below, processes differ more than runs or units do; above, units differ */

#define BETWEEN_ROOFS 0.01 /* units of one product whose roofs of DRAM differ by more are of two groups */

/* One run. The points of all runs are in one order; basis LEVELS_NONE: not measured. Borrowed. */
struct between_run {
    const struct levels_estimate *point;
    uint32_t unit; /* any numbers */
    uint32_t
        group; /* of units that are alike, the same for all runs of a unit; units of two groups are not compared */
};

/* Mean variances over points. NaN: no estimate, because no unit has two runs, or there is one unit. */
struct between {
    double run, unit; /* not below 0 */
    size_t points;    /* that all runs have measured */
    size_t runs, units, groups;
    double run_dof,
        unit_dof; /* of runs within units, and of units within groups: points share a shift, so they add none */
    double held_run,
        held_unit; /* share of pairs of runs, of one unit and of two, whose difference lies within the 95 %
                                 * interval that their estimates alone give; NaN: no such pair */
};

/* Which points: mean time at least `from` and below `to` seconds; only of `kind`, unless that is LEVELS_KINDS. */
struct between_choice {
    double from, to;
    enum levels_kind kind;
};

struct between between_of(const struct between_run *run, size_t runs, size_t points,
                          struct between_choice choice);

/* Add to an estimate what another run adds, and with `unit` what another unit does. Unknown variances (NaN) add nothing. */
void between_add(const struct between *between, bool unit, struct levels_estimate *estimate);
