/* bends.h - how a family's rate changes along its numeric axes, in words. */
#pragma once

#include "base/text.h"
#include "results/merge.h"
#include "table/view.h"

/* Add a sentence for each axis along which a curve of one family on one device has enough points to be fitted
 * (statistics/knee.h): of the curves that differ in that axis alone, the one with most points, then the fastest. `y`: the
 * column, bandwidth or flop_rate. `view`: the rows of the family on the device. */
void bends_describe(const struct merged *merged, const struct view *view, const char *y, struct text *out);

/* "dtype f32, stride 2": the axes of a row that vary over the view, but for `except` (or NULL). */
void bends_describe_row(const struct merged *merged, const struct view *view, size_t row, const char *except,
                        struct text *out);
