/* given_code.h - machine code from a family's code list (family/code_list.h); PTX is assembled. */
#ifndef WORKER_CUDA_COMPILE_GIVEN_CODE_H
#define WORKER_CUDA_COMPILE_GIVEN_CODE_H

#include "core/point.h"
#include "worker/cuda/compile/nvrtc.h"

/* The code of a point whose family has a code list, for `target`, which is not native. The code must match the list: its
 * architecture, its kernel, and the threads of the setup. PTX is assembled for a real target. Without ptxas it is passed to
 * the driver, if `capability` (0: unknown) is that of the target. -1 with the reason in `log`. */
int given_code(const struct point *point, arch target, int capability, const char *cache_folder,
               struct code *code, struct text *log);

#endif
