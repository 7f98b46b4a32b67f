/* ptxas.h - assembles PTX by ptxas of the CUDA Toolkit, in a separate process. */
#ifndef WORKER_CUDA_COMPILE_PTXAS_H
#define WORKER_CUDA_COMPILE_PTXAS_H

#include <stddef.h>

#include "base/text.h"
#include "core/arch.h"

/* The path of ptxas: from the environment variable PTXAS, or the toolkit. NULL if there is none. */
const char *ptxas_path(void);

/* Assemble PTX (a text with its NUL) for a real architecture, through the cache in `cache_folder` (empty: no cache). Returns the
 * cubin, which the caller frees, or NULL with the messages of ptxas in `log`. `cached`: whether it is from the cache. */
unsigned char *ptxas_assemble(const char *ptx, arch target, const char *cache_folder, size_t *size,
                              bool *cached, struct text *log);

#endif
