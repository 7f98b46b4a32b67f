/* top.h - the best points of a results file. */
#pragma once

#include "table/view.h"

/* The column of a row's own rate: latency_p50 where the kernel counts the cycles of dependent accesses (least is best), flop_rate
 * where its roof is one of arithmetic, else bandwidth. NULL: the row has no rate. */
const char *top_own_rate(const struct dataset *dataset, size_t row);

/* Keep the best `most` points of each kernel that are ok, by their own rates, best first; kernels are in alphabetical order. `per`:
 * columns "NAME,NAME", of whose values each has its best; NULL: none. ERROR_USAGE. */
int top_keep(struct view *view, const char *per, size_t most, struct error *error);
