/* folder.h - write a folder atomically. */
#ifndef PAPER_FOLDER_H
#define PAPER_FOLDER_H

#include <stdbool.h>

#include "base/error.h"

/* May `path` be written? It does not exist, is empty, or with `overwrite` contains the file `mark`. Otherwise ERROR_USAGE. */
int folder_check(const char *path, bool overwrite, const char *mark, struct error *error);

/* Create a folder beside `path`. Caller frees the name. NULL: ERROR_ENVIRONMENT. */
char *folder_begin(const char *path, struct error *error);

/* Rename it to `path`, replacing what folder_check allowed. On failure it stays. */
int folder_put(const char *made, const char *path, struct error *error);

/* Remove a folder and all that is in it. */
void folder_remove(const char *path);

#endif
