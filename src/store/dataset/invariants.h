/* invariants.h - what no results file may contain, in one place.
 *
 * Whoever reads a file checks it (hdf5/), and refuses it at the first violation. What comes into a file is
 * changed until it violates nothing (admission.h). A function returns 0, or -1 with an error that names
 * table, row, value and what was expected. */
#pragma once

#include "store/dataset/dataset.h"

/* ---- Columns ---- */

/* The type that a column of /results, /devices or /timeline must have: those of this release, and the axes
 * that are words in every family. -1: any type. */
int invariants_type_of(const char *table, const char *column);

/* All known columns of the table have their type. */
int invariants_types(const char *table, const struct frame *frame, struct error *error);

/* /columns has texts in the columns that readers take, and names no other types of the columns of /results
 * and /devices than these have. After these were read. */
int invariants_described(const struct dataset *dataset, const struct frame *columns, struct error *error);

/* Whether every file has this column of /results, also where no row has a value. */
bool invariants_is_required(const char *column);

/* The same of /results, and the columns that the store needs are there. */
int invariants_columns(const struct frame *results, struct error *error);

/* ---- Rows of /results ---- */

/* The number may be in the column. Missing ones may. */
bool invariants_real(enum result_real real, double value);

/* The interval of the row's energy has its ends exchanged. */
bool invariants_exchanged(const struct dataset *dataset, const union cell *cell);

/* Every value of row `row` is possible, and its samples and device exist. The columns are known
 * (dataset_find_columns). */
int invariants_row(const struct dataset *dataset, const union cell *cell, size_t row, struct error *error);

/* No row before it named one of its samples: `named` has a bit for each sample that one has. Requires valid
 * values. */
int invariants_row_samples(const struct dataset *dataset, uint64_t *named, const union cell *cell, size_t row,
                           struct error *error);

/* What readers derive, or predict, in files that store it: no negative amount, and no end of an interval
 * above the other. */
int invariants_derived(const struct frame *results, struct error *error);

/* ---- Other tables ---- */

/* Finite, and not negative. */
bool invariants_is_amount(double value);
bool invariants_time(double seconds);

/* The first `count` samples. */
int invariants_samples(const struct dataset *dataset, const struct sample *sample, size_t count,
                       struct error *error);
/* Only that process and device of a sample exist. `row` is for the message. */
int invariants_sample_place(const struct dataset *dataset, const struct sample *sample, size_t row,
                            struct error *error);

/* Row `row` of /devices, whose columns have their types. */
int invariants_device(const struct dataset *dataset, size_t row, struct error *error);
bool invariants_device_cell(const struct column_info *info, union cell cell);

/* All of /timeline, after /devices. Whoever adds up phases checks that those of a lane do not overlap. */
int invariants_phase(const struct dataset *dataset, size_t row, struct error *error);
int invariants_timeline(const struct dataset *dataset, struct error *error);
