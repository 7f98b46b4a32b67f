/* folder.h - a folder that appears complete or not at all. */
#ifndef PAPER_FOLDER_H
#define PAPER_FOLDER_H

#include <stdbool.h>

#include "base/error.h"

/* Whether `path` may be written: it is not there, it is empty, or, with `overwrite`, it is what folder_put has put there
 * (it has `mark` in it). ERROR_USAGE when not. */
int folder_check(const char *path, bool overwrite, const char *mark, struct error *error);

/* A new folder beside `path`, to be filled; owned by the caller. NULL: ERROR_ENVIRONMENT. */
char *folder_begin(const char *path, struct error *error);

/* Put it at `path`, in place of what folder_check allowed. On failure it stays where it was made. */
int folder_put(const char *made, const char *path, struct error *error);

/* Remove a folder and all that is in it. */
void folder_remove(const char *path);

#endif
