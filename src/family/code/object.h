/* object.h - shared objects of users' families, and the libraries that they bring: which bytes run. */
#pragma once

#include <stdint.h>

#include "base/error.h"

/* Load an object, which stays, whatever is written to its file later. Its own symbols go before those of the program. `bytes`: hash of its file and of all libraries that it
 * needs, except those in /lib and /usr. NULL with an ERROR_USAGE; also if a file changed meanwhile, or if a library that it needs is not
 * the one that it would have got alone, because another of the same name was loaded before. Before threads start. */
void *object_open(const char *path, uint64_t *bytes, struct error *error);

/* How many files have been loaded so far. */
int object_count(void);

/* Refuse (ERROR_USAGE) files from `first` on that share data with those before: symbols that the linker makes one for the whole process
 * (STB_GNU_UNIQUE: inline variables and local statics of C++), unless they are equal constants. */
int object_check_apart(int first, struct error *error);
