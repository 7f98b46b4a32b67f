/* contents.h - what reading, writing and replaying share about a dataset in memory. */
#ifndef STORE_CONTENTS_H
#define STORE_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "store/store.h"

/* Empty texts and frames; dataset_free releases it. `spilled`: rows and samples are kept out of memory, and never
 * move. */
struct dataset contents_new(bool spilled);

/* Leave what is spilled to its files. */
void contents_rest(const struct dataset *dataset);

/* Whether every column that the store itself goes by is there, and every one that this release knows is of its type.
 * -1 with the reason in `why`. */
int contents_check_columns(const struct dataset *dataset, char *why, size_t size);

/* Whether every row names samples and a device that are there, and no two rows the same samples. */
int contents_check_rows(const struct dataset *dataset, char *why, size_t size);

/* Give the columns of /results and /devices the roles, units and meanings that /columns has for them; where
 * it has no roles, as in files of earlier releases, those that the columns must have had. */
void contents_describe(struct dataset *dataset, const struct frame *columns);

/* Make room for `more` samples after the last. */
void contents_reserve_samples(struct dataset *dataset, size_t more);

/* Add a span at the end of the timeline. */
void contents_add_span(struct dataset *dataset, const struct span *span);

/* Whether every span is of a device that is there, and ends after its beginning. `strict`: and no two of a lane overlap.
 */
int contents_check_spans(const struct dataset *dataset, bool strict, char *why, size_t size);

/* Lay the samples in the order of the rows, without those that no row names any more. */
void contents_pack_samples(struct dataset *dataset);

void contents_free_pairs(struct store_pair *pair, int count);

#endif
