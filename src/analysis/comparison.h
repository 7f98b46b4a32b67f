/* comparison.h - points measured twice: in two files, or in one file with two values of a column. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "table/view.h"
#include "statistics/between.h"
#include "statistics/levels.h"
#include "statistics/pooling.h"
#include "statistics/verdict.h"
#include "store/dataset/summary.h"
#include "store/store.h"

/* ---- A side that `warpsweep predict` made ----
 *
 * How far the time model is off on a device that nobody measured is unknown. Known is how far it was off on the measured
 * side's points, which carry their own predictions: by family, the root mean square of the logarithm of measured over
 * predicted time. That is taken as the prediction's standard error, beside the interval of its profile. Points whose addresses
 * the model does not know are left out: only their useful bytes and flops are predicted. */

/* Whether the row was predicted, not measured. */
bool prediction_is(const struct dataset *dataset, size_t row);

/* Whether the model knows the addresses of a row's point. Without them it knows the number of bytes, and predicts a lower
 * bound. */
bool prediction_knows_addresses(const struct dataset *dataset, size_t row);

/* How far the model was off on the measured points of a file, by family. */
struct prediction_errors; /* opaque */
struct prediction_errors *prediction_errors_of(const struct dataset *measured);
void prediction_errors_free(struct prediction_errors *errors);

/* The estimate of a predicted row; LEVELS_NONE if the model knows no addresses. If `errors` has no data for its family
 * (NULL: for none), its error is NaN and no verdict is given. The error is common to a family: it does not average out
 * over points. */
struct levels_estimate prediction_estimate(const struct dataset *dataset, size_t row,
                                           const struct prediction_errors *errors);

/* ---- One side at one point: the samples of a row, and the estimate that they give ---- */

/* entry_free releases what it owns. */
struct entry {
    const struct dataset *dataset;
    size_t row;
    const struct levels_cell *cell; /* all of the row's, or those of some devices */
    struct levels_cell *owned;      /* the same, or NULL: they belong to the file's summary_cells */
    size_t cells;
    bool whole;                      /* all of them */
    bool borrowed;                   /* the estimate uses the other file's deviations between processes */
    bool predicted;                  /* the estimate is a prediction without samples */
    struct levels_estimate estimate; /* finished if the verdict needs it; LEVELS_NONE: not measured */
};

/* The row's samples; none when its status is not ok. Not estimated yet. `cells`: of the dataset. */
struct entry entry_of(const struct dataset *dataset, const struct summary_cells *cells, size_t row);

/* Estimate a predicted row. */
void entry_predict(struct entry *entry, const struct prediction_errors *errors);

/* Only the samples of the devices (rows of /devices) that `of` lists. */
struct entry entry_part(const struct entry *whole, const uint32_t *of, size_t count);

void entry_free(struct entry *entry);

/* Estimate all entries with the deviations between processes in `own`. A point of a single process uses `other` (may be
 * NULL) if `own` has none. */
void entry_estimate(struct entry *entry, const struct pooling *own, const struct pooling *other);

/* The estimates of the points of `view`, in the order of those of `first`: LEVELS_NONE for those that it lacks. The caller frees. */
struct levels_estimate *entry_estimates(const struct view *first, const struct view *view);

/* seconds at the point's roof / estimate, as /results has it; NaN where it is not known for these samples. */
double entry_share(const struct entry *entry);

/* ---- All points ---- */

/* The times of b are divided by those of a: "after.h5" by "before.h5", "store" by "load". */
struct comparison_section {
    char *a, *b; /* owned */
};

/* A point on both sides. An entry without a dataset: only the other side has the point. */
struct comparison_pair {
    size_t section;
    struct entry a, b;
};

/* comparison_free releases it. The arrays have one element a pair; those of many pairs are spilled. */
enum { COMPARISON_SPILLS = 2 };
struct comparison {
    struct comparison_section *section;
    size_t sections;
    struct comparison_pair *pair;
    struct verdict_ratio *ratio;
    size_t pairs, capacity;
    bool paired; /* both sides were timed together: a is exact, and b has the error of the ratio */
    struct spill *spill[COMPARISON_SPILLS]; /* of pair, ratio; NULL: in memory */
    struct summary_cells cells[2];          /* of the files, or of the only one */
    const struct dataset *file[2];          /* of both sides; with `by` only the first */
    const char *by;                         /* the columns that sections are values of; NULL: two files */
    struct verdict_rule rule;
    bool predicted_a, predicted_b; /* the side is a prediction */
    bool shares;                   /* shares of roofs are comparable between the sides */
    struct text assumed;           /* assumptions of the verdicts, one per line */
};

/* The points of two files. `names`: of the two sides. */
void comparison_of_files(const struct view *a, const struct view *b, char *const names[2],
                         struct comparison *comparison);

/* The points of one file that differ only in the columns `by`: one or more axes with commas between, or a property of
 * devices (with or without "device."). Each value of a kernel is compared with `baseline`; NULL: with the kernel's first value. ERROR_USAGE for
 * an unknown column or value. */
int comparison_by(const struct view *view, const char *by, const char *baseline,
                  struct comparison *comparison, struct error *error);

/* The axis in which the pairs of a paired run differ: `version`, or that of --pair; NULL: the file has no pairs. */
const char *comparison_paired_axis(const struct dataset *dataset);

/* The pairs of one file, whose points were timed together (statistics/turns.h). `baseline`: the version to compare with; NULL: the
 * first. ERROR_USAGE for an unknown version, or if there is no pair. */
int comparison_of_pairs(const struct view *view, const char *baseline, struct comparison *comparison,
                        struct error *error);

/* Refuse pairs whose times are not comparable: different states of L2, back ends or timers. ERROR_USAGE names them; with
 * `allow`, they are added to the assumptions, and 0 is returned. */
int comparison_check(struct comparison *comparison, bool allow, struct error *error);

/* Compute ratios, verdicts and assumptions of all pairs. `threshold`: the difference that matters, as 0.01. Intervals of two files
 * include what further runs and units of the product add, where its shipped profile knows. */
#define COMPARISON_PAIRED_THRESHOLD                                                                          \
    0.001 /* the default of pairs: effects of order and of the place of code may reach it */
void comparison_judge(struct comparison *comparison, double threshold);

void comparison_free(struct comparison *comparison);

/* ---- For those who make one ---- */

/* How runs and units of a product scatter, by its shipped profile: for points below and above BETWEEN_LONG. All 0 if it is not
 * known. */
void comparison_between(const char *product, struct between *of_short, struct between *of_long);

/* Add what the verdicts assume to `assumed`, after them. `one_product`: measured both sides. */
void comparison_assume(struct comparison *comparison, bool one_product);

/* The section of that name, made when it is new. */
size_t comparison_section(struct comparison *comparison, const char *a, const char *b);

/* Before pairs are added: there may be so many. */
void comparison_expect(struct comparison *comparison, size_t pairs);

/* After all pairs are added: `ratio`. */
void comparison_make_room(struct comparison *comparison);

/* Call it for each pair of a pass over all of them: memory that was used is given back now and then. */
void comparison_evict_at(const struct comparison *comparison, size_t pair);

/* Takes the entries over. */
void comparison_add(struct comparison *comparison, size_t section, struct entry a, struct entry b);
