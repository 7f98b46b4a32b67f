/* sheets.h - the tables of a paper. Each is the caller's; one that has nothing to show has no rows. */
#ifndef PAPER_SHEETS_H
#define PAPER_SHEETS_H

#include "analysis/pairs.h"
#include "analysis/tables.h"
#include "output/sheet.h"
#include "paper/source.h"

/* The devices, one a column: what they are, and what was measured of them. */
struct sheet sheets_devices(const struct source *source);

/* The best point of each family on each device, as a share of its roof. */
struct sheet sheets_best(const struct source *source);

/* A family's variants: the best point of each on the first device that has one, and the same point on the others. Best is
 * what comes closest to its roof; where nothing has a roof, what has the best quantity. */
struct sheet sheets_variants(const struct source *source, const struct source_family *family);

/* Speed-ups of families. The comparison is judged, and of two files; its sides are called as they are to be. */
struct sheet sheets_speedups(const struct comparison *comparison);

/* A row for each before and after of two cases: the speed-up on each device, and with `times` what it is of; what the
 * source has. */
struct sheet sheets_pairs(const struct source *source, const struct pair_table *pairs, bool times);

/* Every point, a row each: what it is, and on each device its quantity and share of its roof. */
struct sheet sheets_points(const struct source *source);

#endif
