/* code_cache.h - compiled kernels on disk, shared by every rank that sees the folder.
 *
 * One file an entry, named by a hash of its key, written beside and renamed, so that writers cannot disturb
 * each other or a reader, and a killed one leaves at most a stray temporary. Each holds its whole key (source
 * hash, options, compiler version) and a CRC: a damaged entry, or a hash that two keys share, is a miss. */
#ifndef WORKER_CUDA_COMPILE_CODE_CACHE_H
#define WORKER_CUDA_COMPILE_CODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The entry's content in a block the caller frees, with one extra NUL; NULL when there is none that is whole.
 */
unsigned char *code_cache_load(const char *folder, const char *key, size_t *size);

/* Keep an entry. Failing to is no failure of the point: the error is for a remark. */
int code_cache_save(const char *folder, const char *key, const void *code, size_t size, struct error *error);

/* The file that holds `key`, for tests and messages. The caller frees it. */
char *code_cache_path(const char *folder, const char *key);

#endif
