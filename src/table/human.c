#include "table/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

/* By what they measure, large ones first; the last of a kind takes all smaller numbers. Four digits are read
 * at a glance: rates of memory become TB/s late. Seconds and bytes have their own functions. */
static const struct unit {
    const char *of, *name;
    double scale; /* a number in this unit is the SI number divided by it */
    double from;  /* the smallest SI magnitude that is written in it */
} units[] = {
    {"bytes/s", "TB/s", 1e12, 9999e9}, {"bytes/s", "GB/s", 1e9, 0}, {"flop/s", "TFLOP/s", 1e12, 1e12},
    {"flop/s", "GFLOP/s", 1e9, 0},     {"Hz", "MHz", 1e6, 0},       {"J", "J", 1, 1},
    {"J", "mJ", 1e-3, 1e-3},           {"J", "uJ", 1e-6, 0},        {"J/bit", "pJ/bit", 1e-12, 0},
    {"J/flop", "pJ/FLOP", 1e-12, 0},
};

static void format_real(double value, const char *of, char *out, size_t size)
{
    const struct unit *unit = units, *end = units + sizeof units / sizeof *units;
    while (unit < end && (strcmp(unit->of, of) != 0 || fabs(value) < unit->from))
        unit++;
    const char *name = unit < end ? unit->name : of;
    snprintf(out, size, "%.4g%s%s", value / (unit < end ? unit->scale : 1), *name ? " " : "", name);
}

void human_cell(const struct column *column, union cell cell, char *out, size_t size)
{
    bool integer = column->type == COLUMN_INTEGER, bytes = !strcmp(column->unit, "bytes");
    if (frame_is_missing(column, cell))
        snprintf(out, size, "—");
    else if (column->type == COLUMN_TEXT)
        snprintf(out, size, "%s", cell.text);
    else if (bytes && column->role == ROLE_AXIS && integer) /* as it is typed */
        text_format_bytes(cell.integer, out, size);
    else if (bytes && (integer || fabs(cell.real) < 0x1p62))
        text_format_bytes_short(integer ? cell.integer : llround(cell.real), out, size);
    else if (integer)
        snprintf(out, size, "%" PRId64, cell.integer);
    else if (!strcmp(column->unit, "s"))
        text_format_seconds(cell.real, out, size);
    else if (!strncmp(column->name, "fraction_", strlen("fraction_")))
        snprintf(out, size, "%.1f %%", 100 * cell.real);
    else
        format_real(cell.real, column->unit, out, size);
}
