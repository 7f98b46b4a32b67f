/* farm.h - compile many points at once, by several processes: within one process NVRTC compiles one
 * program at a time (two threads took longer than one, CUDA 13.0), so the processors of a rank are used by as
 * many compilers. They stay for the next call, since what a process compiles first takes several times as long as
 * what it compiles then. */
#ifndef WORKER_CUDA_COMPILE_FARM_H
#define WORKER_CUDA_COMPILE_FARM_H

#include "core/point.h"
#include "protocol/config.h"
#include "worker/backend.h"

/* As struct backend's compile, for a device of `capability` (0: none): the code goes into
 * config->cache_folder. What the cache has starts no process. */
void cuda_farm_compile(const struct config *config, int capability, const struct point *points,
                       uint32_t count, compiled_report compiled, void *context);

/* The compilers go. Cheap when there are none. */
void cuda_farm_end(void);

#endif
