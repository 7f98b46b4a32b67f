/* cache_folder.h - where compiled kernels are kept between runs. */
#ifndef PROCESS_CACHE_FOLDER_H
#define PROCESS_CACHE_FOLDER_H

#include <stddef.h>

#include "base/error.h"

/* $WARPSWEEP_CACHE, else $XDG_CACHE_HOME/warpsweep, else ~/.cache/warpsweep; empty when none of these is
 * known. -1, and an empty `out`, when it is another user's or everybody may write to it: what lies there is run. */
int cache_folder_find(char *out, size_t size, struct error *error);

/* The same, made where it is not there yet. -1, and an empty `out`, when there is none. */
int cache_folder_make(char *out, size_t size, struct error *error);

#endif
