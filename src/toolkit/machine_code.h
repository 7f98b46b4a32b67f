/* machine_code.h - `check --sass`: what kernels are in machine code, and whether it is as their families claim. */
#ifndef TOOLKIT_MACHINE_CODE_H
#define TOOLKIT_MACHINE_CODE_H

#include <stddef.h>

#include "base/error.h"
#include "core/point.h"

/* Print a paragraph for each point, whose architectures are not native: registers, instructions, the main
 * loop, accesses to memory by width, and the claims that speak of it. Returns how many of the kernels break a
 * claim, or -1 with ERROR_ENVIRONMENT when there is no compiler or no nvdisasm. */
int machine_code_print(const struct point *points, size_t count, struct error *error);

#endif
