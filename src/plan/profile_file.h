/* profile_file.h - a device profile as a YAML file, written by `warpsweep profile` and read by `predict`. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "core/profile.h"

/* Read a file, or the shipped profile of that name ("b200") if `path` has no slash, no dot and no such file exists.
 * ERROR_USAGE with file, line, column and the expected value. Missing values are unknown (NaN). */
int profile_read(const char *path, struct profile *profile, struct error *error);

/* The shipped profile of the device with the most memory; false if none is there. */
bool profile_find_largest(struct profile *profile);
