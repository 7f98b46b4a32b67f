/* ptxas.h - PTX to machine code by ptxas, which the CUDA Toolkit brings; it runs as a process of its own. */
#ifndef WORKER_CUDA_COMPILE_PTXAS_H
#define WORKER_CUDA_COMPILE_PTXAS_H

#include <stddef.h>

#include "base/text.h"
#include "core/arch.h"

/* The program: what PTXAS in the environment names, or the toolkit's. NULL when there is none. */
const char *ptxas_path(void);

/* Assemble PTX (a text with its NUL) for a real architecture, or take what an earlier call made out of the cache
 * under `cache_folder` (empty: none), where it is found by the PTX's contents. Returns the cubin, which the caller
 * frees, or NULL with what ptxas says in `log`. `cached` tells where it came from. */
unsigned char *ptxas_assemble(const char *ptx, arch target, const char *cache_folder, size_t *size,
                              bool *cached, struct text *log);

#endif
