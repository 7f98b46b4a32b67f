/* disassemble.h - disassembles cubins by nvdisasm of the CUDA Toolkit, in a separate process. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "worker/cuda/compile/cubin.h"

/* The path of nvdisasm: from the environment variable NVDISASM, the toolkit, or the build. NULL if there is none. */
const char *disassembler_path(void);

/* The listing of all functions of a cubin. ERROR_ENVIRONMENT if nvdisasm is missing or fails, and for PTX. */
int disassemble(const void *cubin, size_t size, struct text *listing, struct error *error);

/* The same through the cache in `cache_folder` (empty: no cache). The key has the cubin's contents and nvdisasm's version. */
int disassemble_once(const void *cubin, size_t size, const char *cache_folder, struct text *listing,
                     struct error *error);

/* Put listings of cubins that will be asked for into the cache, as far as they are not there. nvdisasm takes 0.3 s to start, so
 * that one process lists many. Cubins that cannot be listed together are left to disassemble_once, and so are errors. */
void disassemble_ahead(const struct cubin_view *cubins, size_t count, const char *cache_folder);
