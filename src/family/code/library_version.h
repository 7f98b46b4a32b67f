/* library_version.h - versions of mapped libraries, by their own functions: their files' names may lack
 * them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The short name of the mapped library at `path`, whose file is `file`, with its version in `out`; NULL if it
 * is none of those that are known: cuBLAS, cuBLASLt, CUPTI, NCCL, NVRTC. */
const char *library_version(const char *path, const char *file, char *out, size_t size);
