/* tables.h - figures of what is worked out from files, not of their rows: `#: table NAME`.
 *
 *   fleet   one file: a row a device. rank (1: the slowest of its product), effect, effect_low, effect_high (%
 *           slower than the median device: median, 5th and 95th percentile over points), z, judged (outlier, or
 *           like the rest)
 *   ratios  two files: a row a point of both. time (s, in the first), difference, difference_low,
 *           difference_high (% that the second takes more, with its 95 % interval), speedup (of the second over the
 *           first), speedup_low, speedup_high, rank (1: the least speed-up), mean (the
 *           geometric mean of all speed-ups), verdict, and the point's axes
 *   families  two files: a row a family, and one of all. speedup, speedup_low, speedup_high (geometric means), verdict
 *   heat      two files: a row a cell, of --heat (figure/heat.h)
 *   model     a row a point and kind of access that was both counted and predicted. access (loads, stores: of global
 *             memory, in sectors per request; shared loads, shared stores: wavefronts), predicted, counted, residual (%)
 *   residuals the same rows, but those alone that were not counted as predicted
 *   best      a row a family: its best point. share (% of the roof), share_low, share_high, roof_name, place
 *   stalls    a row a reason, of the best point of each family. reason, start, end (% of all stalls), place
 *   bottlenecks  a row a bound (by the time model; in files from before it, the roof), of each family and of all. bound,
 *             start, end (% of the time of its points that is spent beyond what the roof needs), place
 *   roofline  a row a point with operations, and corners of the roofs' lines. intensity (flop/byte), rate (TFLOP/s),
 *             rate_low, rate_high, after_intensity, after_rate (of a pair of the textbook), lined (yes: a corner)
 *   canaries  a row a repetition. order, quantity (time, SM clock, power), change (% from the first), change_low,
 *             change_high
 *   timeline  one file: a row a part of a lane of its last run. start, end (s), below, above (share of the lane's height),
 *             phase (a group of phases), place; kernel is the lane's name
 *   samples   a row a sample of at most 8 points that --where leaves. microseconds, deviation (% from the point's median),
 *             share (%), decile (yes: every tenth of them, to be marked), point
 *   densities of the same points a row a place along a violin. deviation (% from the point's median), height and lower (its
 *             edges: place, and at most 0.4 to either side), place, median (us), point
 *
 * Each also has kernel, status, repeat and source, as rows of /results do. */
#ifndef FIGURE_TABLES_TABLES_H
#define FIGURE_TABLES_TABLES_H

#include "base/text.h"
#include "results/merge.h"

/* The words of the directive, NULL-terminated. */
extern const char *const figure_tables[];

/* What tables are worked out of. */
struct table_source {
    char *const *paths; /* the files */
    int count;
    const struct merged *all;  /* the same, merged: its groups are the table's, too, so it must outlive it */
    const char *const *filter; /* conditions on their rows, NULL-terminated; or NULL */
    const char *heat;          /* "stride,dtype": of which axes; or NULL */
};

/* Work the table out. What the caption says of it is added to `caption`. 0; or -1 with the reason why there is none.
 * figure_table_free releases it. */
int figure_table(const char *name, const struct table_source *source, struct merged *table,
                 struct text *caption, struct error *why);
void figure_table_free(struct merged *table);

#endif
