/* row_point.h - the point that a row of /results is of. */
#pragma once

#include <stdbool.h>

#include "core/frame.h"
#include "core/point.h"

/* False if this build lacks the kernel or a value of its axes: the file is of another release. */
bool row_point(const struct frame *results, size_t row, struct point *point);
