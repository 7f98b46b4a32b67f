/* point_code.h - the code of a point: compiled from its family's source, or taken from its family's code list. */
#pragma once

#include "core/point.h"
#include "worker/cuda/compile/nvrtc.h"

/* Compile the code of a point, or take it from the family's code list, or from the cache in `cache_folder` (empty: no cache).
 * `native` becomes the architecture of `capability`; 0 is then an error. -1 with the compiler's messages in `log`. */
int compile_point(const struct point *point, int capability, const char *cache_folder, struct code *code,
                  struct text *log);

/* Is the code available without compiling? False if unknown. */
bool compile_point_is_cached(const struct point *point, int capability, const char *cache_folder);
