/* entry.h - one side of a comparison at one point: samples of a row, and the estimate that they give. */
#ifndef ANALYSIS_ENTRY_H
#define ANALYSIS_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/prediction.h"
#include "statistics/pooling.h"
#include "store/store.h"

/* entry_free releases the cells. */
struct entry {
    const struct dataset *dataset;
    size_t row;
    struct levels_cell *cell; /* owned: all of the row's, or those of some devices */
    size_t cells;
    bool whole;                      /* all of them */
    bool borrowed;                   /* the estimate rests on another file's processes */
    bool predicted;                  /* the estimate is a prediction: there are no samples */
    struct levels_estimate estimate; /* LEVELS_NONE when the point was not measured */
};

/* The row's samples; none when its status is not ok. Not estimated yet. */
struct entry entry_of(const struct dataset *dataset, size_t row);

/* Estimate a row that was predicted (prediction.h). */
void entry_predict(struct entry *entry, const struct prediction_errors *errors);

/* Only the samples of the devices (rows of /devices) that `of` lists. */
struct entry entry_part(const struct entry *whole, const uint32_t *of, size_t count);

void entry_free(struct entry *entry);

/* Estimate all entries, with what `own` knows of processes. Where a point has one process and `own` nothing
 * to tell, `other` lends what it knows; it may be NULL. */
void entry_estimate(struct entry *entry, const struct pooling *own, const struct pooling *other);

/* What the entries teach about deviations between processes or devices. */
struct pooling entry_pooling(const struct entry *const *entries, size_t count);

/* seconds at the point's roof / estimate, as /results has it; NaN where it is not known for these samples. */
double entry_share(const struct entry *entry);

#endif
