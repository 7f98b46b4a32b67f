/* shipped.h - find the data files that ship with warpsweep: the Python package, device profiles, examples, headers. They are searched
 * relative to this executable, since an installation may be moved, then in the source tree that it was built from. */
#pragma once

#include "base/error.h"

/* The folder `name` that has the file, such as "examples"; NULL if there is none. The caller frees. */
char *shipped_folder(const char *name, const char *file);

/* The path of a file in such a folder; NULL with an error if there is none. The caller frees. */
char *shipped_file(const char *folder, const char *file, struct error *error);

/* The path of a program or library that others start or load: beside this executable, or in the folder of installed auxiliary programs
 * (libexec); NULL if there is none. The caller frees. */
char *shipped_auxiliary(const char *name);

/* The folder of headers that users' families are compiled against; NULL with an error if it is not there. The caller frees. */
char *shipped_headers(struct error *error);
