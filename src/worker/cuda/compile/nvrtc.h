/* nvrtc.h - compiles device code by NVRTC. Needs no GPU. Thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "core/arch.h"
#include "family/code/source.h"
#include "worker/cuda/compile/headers.h"

/* Machine code, or PTX with its NUL for a virtual architecture. code_free releases it. */
struct code {
    unsigned char *image;
    size_t size;
    bool cached;    /* from the cache */
    double seconds; /* time to compile or load */
};
void code_free(struct code *code);

/* Compile a source, or load its code from the cache in `cache_folder` (empty: no cache). -1 with the compiler's messages in `log`.
 * `options`: separated by newlines. `name`: of the source in messages. */
int compile_source(const char *name, const char *source, arch target, const char *options,
                   const char *cache_folder, struct code *code, struct text *log);

/* The same with headers of a user's family (or NULL) that the source includes. */
int compile_with(const char *name, const char *source, const struct device_header *own, arch target,
                 const char *options, const char *cache_folder, struct code *code, struct text *log);

/* Does the cache have the code that this would compile? */
bool compile_is_cached(const char *name, const char *source, const struct device_header *own, arch target,
                       const char *options, const char *cache_folder);

/* Add everything that the machine code depends on to `key`, as text: what the cache finds it by. `options` include the
 * architecture. Folders are not part of it: another node may have the same toolkit in another place. */
void compile_key(const char *name, const char *source, const char *options,
                 const struct cuda_headers *headers, struct text *key);

/* The real architecture that this NVRTC compiles for a device's code: that of the device, or the newest of the same major version that
 * it knows (CUDA 12.8 has neither sm_103 nor sm_121). `specific`: with the instructions of the device alone, if it has them. */
arch compile_arch(int capability, bool specific);

/* "13.0" */
void compile_version(char *out, size_t size);
