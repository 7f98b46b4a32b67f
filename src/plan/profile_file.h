/* profile_file.h - a device that is not available, as a YAML file describes it, written by `warpsweep
 * profile` and read by `predict`. */
#pragma once

#include "base/error.h"
#include "core/device.h"
#include "family/family.h"

/* Read a file, or the shipped profile of that name ("b200") if `path` has no slash, no dot and no such file
 * exists. Values have the names and units of /devices; others are only for the time model, and
 * python/src/warpsweep/profiles.py checks them. What is missing is unknown; peaks are then as H100 and H200
 * have them, in cycles or as shares of another. ERROR_USAGE with file, line, column and the expected
 * value. */
int profile_read(const char *path, struct device *device, struct error *error);

/* The shipped profile of the device with the most memory; and a target with that memory, whose other limits
 * are not known. */
struct target profile_find_largest(struct device *device);
