/* method_values.h - what the rows of a file come to: counts and quantiles for the method section. */
#pragma once

#include "store/store.h"

/* A quantile of a column of numbers over measured points; NaN: it has none. */
double method_quantile(const struct dataset *dataset, const char *name, double q);

/* Points whose text column holds `value`; with NULL, all. Repetitions of canaries do not count. */
size_t method_count(const struct dataset *dataset, const char *column, const char *value);

/* The same of measured points: timer "graph", state of L2 "cold" and so on. */
size_t method_timed(const struct dataset *dataset, const char *column, const char *value);

/* Points at which the driver gave a reason to lower clocks. */
double method_throttled(const struct dataset *file);

/* How many hardware counters were asked for. */
size_t method_counters(const struct dataset *dataset);
