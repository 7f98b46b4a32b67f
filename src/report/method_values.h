/* method_values.h - what the rows of a file come to: counts and quantiles for the method section. */
#ifndef REPORT_METHOD_VALUES_H
#define REPORT_METHOD_VALUES_H

#include "store/store.h"

int64_t method_integer(const struct frame *frame, size_t row,
                       const char *name);                      /* FRAME_NO_INTEGER: there is none */
bool method_is_first(const struct frame *results, size_t row); /* no repetition of a canary */

/* A quantile of a column of numbers over measured points; NaN: it has none. */
double method_quantile(const struct dataset *dataset, const char *name, double q);

/* Points whose text column holds `value`; with NULL, all. Repetitions of canaries do not count. */
size_t method_count(const struct dataset *dataset, const char *column, const char *value);

/* The same of measured points: timer "graph", state of L2 "cold" and so on. */
size_t method_timed(const struct dataset *dataset, const char *column, const char *value);

/* Points at which the driver gave a reason to lower clocks. */
double method_throttled(const struct dataset *file);

#endif
