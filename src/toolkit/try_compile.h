/* try_compile.h - compile kernels in a worker process without a device. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "core/point.h"
#include "toolkit/toolkit.h"

/* Compile one kernel per point; architectures must not be native. Compiler messages go to stderr. Returns the number of
 * failures, or -1 with ERROR_ENVIRONMENT if there is no compiler. */
int compile_all(const struct point *points, size_t count, struct error *error);

/* Configure a started worker: its processors and the cache folder for compiled code. */
int compiler_configure(struct toolkit *compiler, struct error *error);
