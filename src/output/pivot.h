/* pivot.h - a table of one column's values: a row for each value of one axis, a column for each of another. */
#pragma once

#include "results/view.h"

/* Make `pivot` (a dataset with results only, released with dataset_free) from the rows of `view` that have both axes (other
 * rows are dropped from the view), by "rows=NAME,
 * cols=NAME,value=NAME". A value that has a 95 % interval, its own or the time's, brings its ends in columns NAME_low and
 * NAME_high behind. Its columns are called by the values of `cols`: f32, or stride=2 where they are numbers. Cells
 * that no row has are missing. ERROR_USAGE: what is missing in the words; a column that does not exist; several rows
 * for one cell, with what they differ in. */
int pivot_make(struct view *view, const char *words, struct dataset *pivot, struct error *error);
