/* column_name.h - names of columns, checked by the compiler.
 *
 * frame_find and its relatives take any text, because users name columns, too, and a column that a file lacks
 * is missing: a misspelt name would give NaN. A name that the source itself asks for is therefore written
 * COLUMN(time_median), or DEVICE_COLUMN(peak_copy) for /devices, which compiles only for a name of a table.
 * Both are constant expressions. A table is FIXED_COLUMNS, RESULT_REALS, DEVICE_TEXTS ... or one of those
 * below; a module with columns of its own adds an enum of COLUMN_IS names where it makes them. */
#pragma once

#include "core/column.h"
#include "core/device.h"
#include "core/result.h"

/* Axes that more than one family has, by their names in core/axis.h; X(name). */
#define AXIS_COLUMNS(X) X(cache) X(dtype)

/* Counters that the source reads; core/metric.c takes their names from here. */
#define COUNTER_COLUMNS(X) X(dram_bytes_read) X(dram_bytes_written) X(l2_bytes) X(l2_bytes_read)

/* Columns of /environment, /columns, /statuses and /sources, and `source`, which merging adds to /results. */
#define FILE_COLUMNS(X)                                                                                      \
    X(name) X(value) X(table) X(type) X(role) X(unit) X(meaning) X(outcome) X(source) X(text)

enum column_is {
#define X(name, ...) COLUMN_IS_##name,
    FIXED_COLUMNS(X) RESULT_REALS(X) AXIS_COLUMNS(X) COUNTER_COLUMNS(X) FILE_COLUMNS(X)
#undef X
};
#define COLUMN(name) (&#name[0 * COLUMN_IS_##name])

enum device_column_is {
#define X(name, unit, meaning) DEVICE_COLUMN_IS_##name,
    DEVICE_TEXTS(X) DEVICE_INTS(X) DEVICE_REALS(X)
#undef X
};
#define DEVICE_COLUMN(name) (&#name[0 * DEVICE_COLUMN_IS_##name])
