/* machine_code.h - summarise the machine code of kernels (`check --sass`, `show`). */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "core/point.h"

/* Print a paragraph per point: registers, instructions, the main loop, memory accesses by width. Architectures must not be
 * native. 0, or -1 with ERROR_ENVIRONMENT without compiler or nvdisasm. */
int machine_code_print(const struct point *points, size_t count, struct error *error);
