/* suggest.h - the error for an unknown name, with the nearest known one. */
#pragma once

#include "base/error.h"

/* Set ERROR_USAGE: "unknown WHAT 'name' (did you mean 'nearest'?)", or with the list of known names if none is similar.
 * `known` ends with NULL. Returns -1. */
int suggest_unknown(struct error *error, const char *what, const char *name, const char *const *known);
