/* folders.h - where compiled kernels are kept between runs (cache_folder.c), and the files that ship with
 * warpsweep (shipped.c): the Python package, device profiles, examples, headers. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* $WARPSWEEP_CACHE, else $XDG_CACHE_HOME/warpsweep, else ~/.cache/warpsweep; empty if none of these is set.
 * -1 and an empty `out` if it belongs to another user or is world-writable, because code in it is
 * executed. */
int cache_folder_find(char *out, size_t size, struct error *error);

/* The same, created if missing. -1 and an empty `out` if there is none. */
int cache_folder_make(char *out, size_t size, struct error *error);

/* ---- Shipped files: beside this executable, since an installation may be moved, or in the source tree it
 * was built from */

/* The folder `name` that has the file, such as "examples"; NULL if there is none. The caller frees. */
char *shipped_folder(const char *name, const char *file);

/* The path of a file in such a folder; NULL with an error if there is none. The caller frees. */
char *shipped_file(const char *folder, const char *file, struct error *error);

/* The path of a program or library that others start or load: beside this executable, or in the folder of
 * installed auxiliary programs (libexec); NULL if there is none. The caller frees. */
char *shipped_auxiliary(const char *name);

/* The folder of headers that users' families are compiled against; NULL with an error if it is not there. The
 * caller frees. */
char *shipped_headers(struct error *error);
