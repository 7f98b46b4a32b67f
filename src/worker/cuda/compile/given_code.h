/* given_code.h - machine code that a family brings (family/code_list.h): nothing is compiled, but PTX assembled. */
#ifndef WORKER_CUDA_COMPILE_GIVEN_CODE_H
#define WORKER_CUDA_COMPILE_GIVEN_CODE_H

#include "core/point.h"
#include "worker/cuda/compile/nvrtc.h"

/* The code of a point whose family has a list, for `target`, which is not native. It has to be what the list says:
 * of that architecture, with that kernel, for blocks as the setup has them. PTX is assembled for a real target; where
 * there is no ptxas, it is left to the driver of a device of `capability` (0: it is not known), which has to be the
 * target's. -1 with what is wrong in `log`. */
int given_code(const struct point *point, arch target, int capability, const char *cache_folder,
               struct code *code, struct text *log);

#endif
