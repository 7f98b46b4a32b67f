/* includes.h - the headers that NAME.cu includes from its own folder, read when the family is loaded. The compiler gets these texts and
 * looks for nothing in folders, so that what is hashed is what is compiled. */
#pragma once

#include "base/error.h"
#include "family/code/macros.h"

/* Read what `source`, the text of `path`, includes by #include "NAME" from its folder, and what these include, from theirs or that one.
 * Names of `known` and those that no folder has are left out. A table that ends with a NULL name, for the life of the process; NULL with
 * an ERROR_USAGE: a file cannot be read, or one name means two files. */
const struct device_header *includes_read(const char *path, const char *source,
                                          const struct device_header *known, struct error *error);
