/* profile_data.h - the profile of a device from a results file. */
#pragma once

#include "core/profile.h"
#include "family/time/time_model.h"
#include "store/store.h"

/* From row `device` of /devices and its points; further devices of the same model widen the intervals. Values without a
 * point stay unknown. `path` is for the sources of values. */
struct profile profile_of_dataset(const struct dataset *dataset, size_t device, const char *path);

/* Is a row of /devices a GPU? The device of a prediction is not. */
bool profile_device_measured(const struct dataset *dataset, size_t device);

/* Was the row measured, and is it not a canary's repetition? */
bool profile_row_counts(const struct dataset *dataset, size_t row);

/* Inputs of the time model that a row has measured. */
struct time_facts profile_row_facts(const struct dataset *dataset, size_t row, const struct point *point,
                                    double threads_sm);
