/* disassemble.h - machine code by nvdisasm, which the CUDA Toolkit brings; it runs as a process of its own. */
#ifndef WORKER_CUDA_COMPILE_DISASSEMBLE_H
#define WORKER_CUDA_COMPILE_DISASSEMBLE_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* The program: what NVDISASM in the environment names, or the toolkit's, or what the build found. NULL when
 * there is none. */
const char *disassembler_path(void);

/* The listing of all functions of a cubin. ERROR_ENVIRONMENT when nvdisasm is missing or fails. PTX, which has no
 * machine code, is an error that says so. */
int disassemble(const void *cubin, size_t size, struct text *listing, struct error *error);

/* The same, or what an earlier call made, out of the cache under `cache_folder` (empty: none), where it is found by the
 * cubin's contents and nvdisasm's version. */
int disassemble_once(const void *cubin, size_t size, const char *cache_folder, struct text *listing,
                     struct error *error);

#endif
