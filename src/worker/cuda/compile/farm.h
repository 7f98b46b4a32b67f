/* farm.h - compiles many points by several processes. Within a process NVRTC compiles one program at a time (with CUDA 13.0 two
 * threads took longer than one), so there is one compiler process per processor of the rank. They stay for the next call,
 * because the first program of a process takes several times as long as later ones. */
#pragma once

#include "core/point.h"
#include "protocol/config.h"
#include "worker/backend.h"

/* As compile of struct backend, for a device of `capability` (0: none). The code goes to config->cache_folder. No process is
 * started for code that is in the cache. */
void cuda_farm_compile(const struct config *config, int capability, const struct point *points,
                       uint32_t count, compiled_report compiled, void *context);

/* End the compiler processes, if there are any. */
void cuda_farm_end(void);
