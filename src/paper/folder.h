/* folder.h - replace a folder atomically, and only the files that were made for it. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "process/scratch.h"

/* Lists every file made with its size and checksum. */
#define FOLDER_MANIFEST ".warpsweep-manifest"

/* May `path` be written? It does not exist, is empty, or with `overwrite` has a manifest whose files are unchanged.
 * Otherwise ERROR_USAGE. First completes a replacement that was killed half-way. */
int folder_check(const char *path, bool overwrite, struct error *error);

/* Create a folder beside `path`, with the mode that `path` has or will have. scratch_free removes it. */
int folder_begin(const char *path, struct scratch *made, struct error *error);

/* Add a manifest and put it at `path`. Files there that the old manifest does not list move into it. On failure `path` is
 * as before. */
int folder_put(struct scratch *made, const char *path, struct error *error);
