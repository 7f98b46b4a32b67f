/* cache_folder.h - where compiled kernels are kept between runs. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* $WARPSWEEP_CACHE, else $XDG_CACHE_HOME/warpsweep, else ~/.cache/warpsweep; empty if none of these is set. -1 and an
 * empty `out` if it belongs to another user or is world-writable, because code in it is executed. */
int cache_folder_find(char *out, size_t size, struct error *error);

/* The same, created if missing. -1 and an empty `out` if there is none. */
int cache_folder_make(char *out, size_t size, struct error *error);
