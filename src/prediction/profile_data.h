/* profile_data.h - the profile of a device, from what a results file measured on it. */
#ifndef PREDICTION_PROFILE_DATA_H
#define PREDICTION_PROFILE_DATA_H

#include "core/profile.h"
#include "family/time/time_model.h"
#include "store/store.h"

/* From row `device` of /devices and the points measured there; several rows of one product widen its intervals. What
 * no point measured stays unknown. `path` is for the values' sources. */
struct profile profile_of_dataset(const struct dataset *dataset, size_t device, const char *path);

/* Whether a row of /devices is of a GPU that something was measured on: a prediction's device is none. */
bool profile_device_measured(const struct dataset *dataset, size_t device);

/* Whether a row was measured, and is no canary's repetition. */
bool profile_row_counts(const struct dataset *dataset, size_t row);

/* What a row knows of its point beyond the axes. */
struct time_facts profile_row_facts(const struct dataset *dataset, size_t row, const struct point *point,
                                    double threads_sm);

#endif
