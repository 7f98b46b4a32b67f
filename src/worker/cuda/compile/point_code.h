/* point_code.h - the code of a point, wherever it comes from: its family's source, or machine code of another's. */
#ifndef WORKER_CUDA_COMPILE_POINT_CODE_H
#define WORKER_CUDA_COMPILE_POINT_CODE_H

#include "core/point.h"
#include "worker/cuda/compile/nvrtc.h"

/* Compile what a point runs, take it from what its family brings, or from the cache under `cache_folder` (empty: none). `native` becomes
 * the architecture of `capability`; with 0 that is an error. -1 with the compiler's messages in `log`. */
int compile_point(const struct point *point, int capability, const char *cache_folder, struct code *code,
                  struct text *log);

/* Whether nothing would have to be compiled for that: false where that is not known. */
bool compile_point_is_cached(const struct point *point, int capability, const char *cache_folder);

#endif
