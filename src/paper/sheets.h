/* sheets.h - the tables of a paper, owned by the caller. A table without data has no rows. */
#pragma once

#include "analysis/pairs.h"
#include "analysis/tables.h"
#include "output/sheet.h"
#include "paper/source.h"

/* One column per device: properties and measured peaks. */
struct sheet sheets_devices(const struct source *source);

/* The best point of each family on each device, as a share of its roof. */
struct sheet sheets_best(const struct source *source);

/* A row per family: points, its best variant and its share of the roof on each device, and with two files how many points are
 * faster or slower, and by how much. */
struct sheet sheets_families(const struct source *source, const struct comparison *comparison,
                             int comparisons);

/* A family's variants: the best point of each on the first device that has one, and the same point on the others. The best
 * is closest to its roof, or has the best quantity if there is no roof. */
struct sheet sheets_variants(const struct source *source, const struct source_family *family);

/* Speed-ups of families, from a judged comparison of two files. */
struct sheet sheets_speedups(const struct comparison *comparison);

/* A row per textbook pair of two cases: the speed-up on each device, with `times` both times, and the source's value. */
struct sheet sheets_pairs(const struct source *source, const struct pair_table *pairs, bool times);

/* Counters of the steps of jobs/ladder.yaml, below the figure of that name. */
struct sheet sheets_ladder(const struct source *source);

/* A row for each of the first points: its axes; on each device its time, bandwidth and share of the roof; its id. */
#define SHEETS_POINTS_MAX 2000
struct sheet sheets_points(const struct source *source);
