#include "table/heads.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "table/units.h"

/* Headings other than the column's name with spaces. */
static const struct {
    const char *column, *name;
} names[] = {
    {COLUMN(time_median), "Time"},
    {COLUMN(fraction_peak), "Share of roof"},
    {COLUMN(fraction_nominal), "Share of nominal"},
    {COLUMN(fraction_datasheet), "Share of data sheet"},
    {COLUMN(flop_rate), "Rate"},
    {COLUMN(sm_clock), "SM clock"},
    {COLUMN(dtype), "Type"},
    {"arch", "Architecture"},
    {COLUMN_OF_DEVICE(name), "Device"},
};

static void choose_unit(struct head *head, const struct column *column, double typical)
{
    if (column->type == COLUMN_INTEGER && !strcmp(column->unit, "bytes"))
        return; /* written as 64KiB */
    if (!strncmp(column->name, "fraction_", strlen("fraction_"))) {
        head->unit = "%";
        head->scale = 0.01;
        return;
    }
    const struct unit *unit = units_choose(column->unit, typical);
    head->unit = unit ? unit->name : column->unit;
    head->scale = unit ? unit->scale : 1;
}

struct head heads_of(const struct column *column, const char *name, double typical)
{
    struct head head = {.unit = "", .scale = 1};
    snprintf(head.name, sizeof head.name, "%s", name);
    for (char *at = head.name; *at; at++)
        if (*at == '_' || *at == '.')
            *at = ' ';
    if (strchr(name, '_') || !strpbrk(name, "0123456789")) /* f32 stays */
        head.name[0] = (char)toupper((unsigned char)head.name[0]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].column, name))
            snprintf(head.name, sizeof head.name, "%s", names[i].name);
    choose_unit(&head, column, typical);
    return head;
}

bool heads_interval(const struct frame *frame, const char *name, int *low, int *high)
{
    char end[160];
    if (!strcmp(name, COLUMN(time_median))) {
        *low = frame_find(frame, COLUMN(time_ci_low));
        *high = frame_find(frame, COLUMN(time_ci_high));
    } else {
        snprintf(end, sizeof end, "%.144s_low", name);
        *low = frame_find(frame, end);
        snprintf(end, sizeof end, "%.144s_high", name);
        *high = frame_find(frame, end);
    }
    return *low >= 0 && *high >= 0 && frame->column[*low].type == COLUMN_REAL &&
           frame->column[*high].type == COLUMN_REAL;
}

double heads_half_width(const struct frame *frame, const char *name, size_t row)
{
    int low, high;
    if (!heads_interval(frame, name, &low, &high))
        return NAN;
    return (frame_cell(frame, row, high)->real - frame_cell(frame, row, low)->real) / 2;
}

double heads_share_error(const struct frame *frame, size_t row)
{
    double half = heads_half_width(frame, COLUMN(fraction_peak), row);
    return isfinite(half) ? half / frame_find_real(frame, row, COLUMN(fraction_peak))
                          : heads_time_error(frame, row);
}

double heads_time_error(const struct frame *frame, size_t row)
{
    return heads_half_width(frame, COLUMN(time_median), row) /
           frame_find_real(frame, row, COLUMN(time_median));
}
