/* profile_file.h - a device's profile as a YAML file: what `warpsweep profile` writes and `predict` reads. */
#ifndef PREDICTION_PROFILE_FILE_H
#define PREDICTION_PROFILE_FILE_H

#include <stdio.h>

#include "base/error.h"
#include "core/profile.h"

/* Read a file, or, where `path` has no slash and no point and there is no such file, the shipped profile of that name:
 * "b200". ERROR_USAGE with file, line, column and what was expected. What a file leaves out is unknown. */
int profile_read(const char *path, struct profile *profile, struct error *error);

/* Every known value with its interval, unit, and where it comes from. */
void profile_write(const struct profile *profile, FILE *out);

#endif
