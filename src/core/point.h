/* point.h - one point of a grid: a kernel and a value on each of its axes. */
#ifndef CORE_POINT_H
#define CORE_POINT_H

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

/* The standard value of an axis, and a point with all of them: parsed each time. */
int64_t space_standard(const struct space *space, int axis);
struct point point_standard(const struct space *space);

/* The value on the axis called `name`, or `missing` when the kernel has no such axis. */
int64_t point_value(const struct point *point, const char *name, int64_t missing);

/* A stable key: the same for the same kernel and axis values (compared by the text of words, not by their
 * order) on every machine and rank and in every release. Resume goes by it. Never 0. */
uint64_t point_id(const struct point *point);

/* "copy variant=load size=1MiB ..." for messages. */
void point_describe(const struct point *point, struct text *out);

#endif
