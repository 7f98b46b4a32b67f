/* try_compile.h - compile kernels in a worker process that opens no device: this executable has no CUDA. */
#ifndef TOOLKIT_TRY_COMPILE_H
#define TOOLKIT_TRY_COMPILE_H

#include <stddef.h>

#include "base/error.h"
#include "core/point.h"
#include "toolkit/toolkit.h"

/* Compile one kernel for each point, whose architectures are not native. What the compiler says about a
 * kernel that fails goes to stderr. Returns how many failed, or -1 with ERROR_ENVIRONMENT when there is no
 * compiler. */
int compile_all(const struct point *points, size_t count, struct error *error);

/* Tell a worker that was started the processors that it may use and where compiled code is kept. */
int compiler_configure(struct toolkit *compiler, struct error *error);

#endif
