/* farm.h - compile many points at once, by several processes: within one process NVRTC compiles one
 * program at a time (two threads took longer than one, CUDA 13.0), so the processors of a rank are used by as
 * many compilers. */
#ifndef WORKER_CUDA_COMPILE_FARM_H
#define WORKER_CUDA_COMPILE_FARM_H

#include "core/config.h"
#include "core/point.h"

/* As struct backend's compile, for a device of `capability` (0: none): the code goes into
 * config->cache_folder. */
void cuda_farm_compile(const struct config *config, int capability, const struct point *points,
                       uint32_t count, char **log, double *seconds);

#endif
