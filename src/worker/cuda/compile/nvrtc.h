/* nvrtc.h - device code by NVRTC: needs the compiler, not a GPU. Safe from several threads at once. */
#ifndef WORKER_CUDA_COMPILE_NVRTC_H
#define WORKER_CUDA_COMPILE_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "core/arch.h"

/* Machine code, or PTX (with its NUL) for a virtual architecture. code_free releases it. */
struct code {
    unsigned char *image;
    size_t size;
    bool cached;    /* came out of the cache */
    double seconds; /* spent compiling or loading */
};
void code_free(struct code *code);

/* Compile a source, or take what it became from the cache under `cache_folder` (empty: none). -1 with the compiler's
 * messages in `log`. `options` are separated by newlines. `name` is for the messages. */
int compile_source(const char *name, const char *source, arch target, const char *options,
                   const char *cache_folder, struct code *code, struct text *log);

/* Whether the cache has what that would compile. */
bool compile_source_is_cached(const char *name, const char *source, arch target, const char *options,
                              const char *cache_folder);

/* "13.0" */
void compile_version(char *out, size_t size);

#endif
