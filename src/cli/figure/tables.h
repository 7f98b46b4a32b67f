/* tables.h - figures of what is worked out from files, not of their rows: `#: table NAME`.
 *
 *   fleet   one file: a row a device. rank (1: the slowest of its product), effect, effect_low, effect_high (%
 *           slower than the median device: median, 5th and 95th percentile over points), z, judged (outlier, or
 *           like the rest)
 *   ratios  two files: a row a point of both. time (s, in the first), difference, difference_low,
 *           difference_high (% that the second takes more, with its 95 % interval), speedup (of the second over the
 *           first), speedup_low, speedup_high, rank (1: the least speed-up), verdict, and the point's axes
 *   families  two files: a row a family, and one of all. speedup, speedup_low, speedup_high (geometric means), verdict
 *   model   a row a point and kind of access (loads, stores) that was both counted and predicted. access, predicted,
 *           counted (sectors per request)
 *
 * Each also has kernel, status, repeat and source, as rows of /results do. */
#ifndef CLI_FIGURE_TABLES_H
#define CLI_FIGURE_TABLES_H

#include "base/text.h"
#include "cli/data/merge.h"

/* The words of the directive, NULL-terminated. */
extern const char *const figure_tables[];

/* Work the table out. `all` are the files merged: its groups are the table's, too, so it must outlive it. `filter`: conditions on
 * the rows that it is worked out from, or NULL. What
 * the caption says of it is added to `caption`. 0; or -1 with the reason why there is none.
 * figure_table_free releases it. */
int figure_table(const char *name, char *const *paths, int count, const char *const *filter,
                 const struct merged *all, struct merged *table, struct text *caption, struct error *why);
void figure_table_free(struct merged *table);

#endif
