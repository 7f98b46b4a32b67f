/* code_cache.h - a cache of compiled kernels on disk, shared by all ranks that see the folder.
 *
 * One file per entry, named by a hash of its key. It is written to a temporary file and renamed, so that writers do not
 * disturb each other or readers; a killed writer leaves at most a temporary file. An entry has its whole key (source hash,
 * options, compiler version) and a CRC: corrupt entries and hash collisions are misses. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The content of the entry, with an extra NUL; the caller frees it. NULL on a miss. */
unsigned char *code_cache_load(const char *folder, const char *key, size_t *size);

/* Save an entry. A failure does not fail the point: the error becomes a remark. */
int code_cache_save(const char *folder, const char *key, const void *code, size_t size, struct error *error);

/* The path of the entry, for tests and messages. The caller frees it. */
char *code_cache_path(const char *folder, const char *key);
