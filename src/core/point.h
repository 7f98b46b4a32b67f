/* point.h - a point of a grid: a kernel and a value for each of its axes. */
#pragma once

#include <stdint.h>

#include "base/text.h"
#include "core/axis.h"

#define POINT_AXES_MAX 24

/* The axes of one kernel family, in the family's order. Const data, for the whole run. */
struct space {
    const char *kernel;
    const struct axis *axes;
    int count; /* <= POINT_AXES_MAX */
};

struct point {
    const struct space *space;
    int64_t value[POINT_AXES_MAX]; /* value[i] is on space->axes[i] */
};

/* The index of the axis called `name`, or -1. */
int space_axis(const struct space *space, const char *name);

/* The default value of an axis, and a point with the default values of all axes; parsed on each call. */
int64_t space_standard(const struct space *space, int axis);
struct point point_standard(const struct space *space);

/* The value of the axis `name`, or `missing` if the kernel has no such axis. */
int64_t point_value(const struct point *point, const char *name, int64_t missing);

/* A stable hash of kernel and axis values, for resume: the same on all machines and ranks and in all
 * releases. Words are hashed by their text, not by their index. Never 0. */
uint64_t point_id(const struct point *point);

/* "copy variant=load size=1MiB ..." for messages. */
void point_describe(const struct point *point, struct text *out);
