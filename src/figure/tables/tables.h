/* tables.h - computed tables for figures: `#: table NAME`.
 *
 *   fleet   one file, a row per device. rank (1: the slowest of its product), effect, effect_low, effect_high (%
 *           slower than the median device: median, 5th and 95th percentile over points), z, judged (outlier, or
 *           like the rest)
 *   ratios  two files, a row per common point. time (s, in the first), difference, difference_low,
 *           difference_high (% that the second takes more, with its 95 % interval), speedup (of the second over the
 *           first), speedup_low, speedup_high, rank (1: the least speed-up), mean (the
 *           geometric mean of all speed-ups), verdict, and the point's axes
 *   families  two files, a row per family and one for all. speedup, speedup_low, speedup_high (geometric means), verdict
 *   heat      two files, a row per cell of --heat
 *   links     a row per quantity and pair of devices. across, up (ordinals of the launching device and the other one), across_name,
 *             up_name, shown (GB/s, ns), speedup (over the median of the pairs of two devices; 1 within one)
 *   contention  a row per pattern or work (up, up_name) and mechanism (across, across_name). speedup (concurrent over alone), shown
 *             (the same in %), spread (half of its 95 % interval, in %)
 *   model     a row per point and kind of access with counter and prediction. access (loads, stores: of global
 *             memory, in sectors per request; shared loads, shared stores: wavefronts), predicted, counted, residual (%)
 *   again     the same as ratios, of two runs of one device
 *   predicted a row per point with a predicted time. predicted, measured (s), class (addresses known, addresses unknown: lower
 *             bound, host link)
 *   residuals the same rows, only those that differ from the prediction
 *   best      a row per family: its best point. share (% of the roof), share_low, share_high, roof_name, place
 *   stalls    a row per reason, for the best point of each family. reason, start, end (% of all stalls), place
 *   bottlenecks  a row per bound (of the host back end per roof), for each family and for all. bound,
 *             start, end (% of the time of its points that exceeds the roof's), place
 *   roofline  the fastest point of each family at an intensity, and the corners of the roofs of bytes. intensity (flop/byte),
 *             rate (TFLOP/s), fp16, fp32, fp64 (the device's peaks, TFLOP/s), lined (yes: a corner)
 *   ladder    a row per step from a naive matrix product to the vendor's (ladder.c), at the size that most have; kernel is the step's
 *             name. start, end (0 and TFLOP/s), place, class (type of the elements; whether it is a library)
 *   canaries  a row per repetition. order, quantity (time, SM clock, power), change (% from the canary's first repetition), change_low,
 *             change_high
 *   timeline  one file, a row per part of a lane of its last run. start, end (s), below, above (share of the lane's height),
 *             phase (a group of phases), place; kernel is the lane's name
 *   history   three files or more, a row per run: of the mean over all points, and of a point for each pattern of lasting changes.
 *             order, change, change_low, change_high (% against the last run), quantity (the panel), change_1 ... change_4 (runs with
 *             a change), change_1_name ... (what it is)
 *   samples   a row per sample of at most 8 points selected by --where. microseconds, deviation (% from the point's median),
 *             share (%), decile (yes: every tenth of them, to be marked), point
 *   densities for the same points, a row per position along a violin. deviation (% from the point's median), height and lower (its
 *             edges: place, and at most 0.4 to either side), place, median (us), point
 *
 * Each also has the columns kernel, status, repeat and source of /results. */
#pragma once

#include "base/text.h"
#include "results/merge.h"

/* Names of the tables, NULL-terminated. */
extern const char *const figure_tables[];

/* Input of the tables. */
struct table_source {
    char *const *paths; /* the files */
    int count;
    const struct merged *all;  /* the same, merged; must outlive the table, which shares its groups */
    const char *const *filter; /* conditions on rows, NULL-terminated; or NULL */
    const char *heat;          /* axes "stride,dtype"; or NULL */
    struct text *title; /* receives what the table shows, in place of the figure's title, if that is known */
};

/* Compute a table. Adds text for the caption. 0, or -1 with the reason if it is empty. figure_table_free releases it. */
int figure_table(const char *name, const struct table_source *source, struct merged *table,
                 struct text *caption, struct error *why);
void figure_table_free(struct merged *table);
