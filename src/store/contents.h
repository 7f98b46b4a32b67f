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

/* Whether rows name samples and a device that are there, and no two rows the same samples: of blocks of rows, one after
 * the other. `check` starts from {0}; columns, devices and samples have been read. */
struct row_check {
    size_t row;    /* the next one */
    int64_t named; /* samples so far */
};
int contents_check_rows(const struct dataset *dataset, struct row_check *check, const union cell *cell,
                        size_t rows, char *why, size_t size);

/* The same of `count` samples, of which the first is row `first` of /samples: they have a time, and a device that is
 * there. */
int contents_check_samples(const struct dataset *dataset, const struct sample *sample, size_t first,
                           size_t count, char *why, size_t size);

/* A sample of `process` has been read. */
void contents_note_process(struct dataset *dataset, uint32_t process);

/* Give the columns of /results and /devices the roles, units and meanings that /columns has for them; where
 * it has no roles, as in files of earlier releases, those that the columns must have had. */
void contents_describe(struct dataset *dataset, const struct frame *columns);

/* Make room for `more` samples after the last. */
void contents_reserve_samples(struct dataset *dataset, size_t more);

/* Add samples at the end; cheaper than one by one where they are spilled. */
void contents_add_samples(struct dataset *dataset, const struct sample *sample, size_t count);

/* Add a span at the end of the timeline. */
void contents_add_span(struct dataset *dataset, const struct span *span);

/* Whether every span is of a device that is there, and ends after its beginning. `strict`: and no two of a lane overlap.
 */
int contents_check_spans(const struct dataset *dataset, bool strict, char *why, size_t size);

/* Lay the samples in the order of the rows, without those that no row names any more. */
void contents_pack_samples(struct dataset *dataset);

void contents_free_pairs(struct store_pair *pair, int count);

#endif
