#include "analysis/pair.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/column.h"
#include "table/print_text.h"
#include "table/view.h"

#define CHANGE 0.02 /* relative: less is no change */

void instance_place(const struct instance *instance, size_t row, struct text *out)
{
    const char *const *axis = instance->pair->free;
    for (; *axis; axis++) {
        struct view_column column;
        struct error ignored;
        char value[128];
        if (view_find_column(&instance->merged->all, *axis, &column, &ignored) != 0)
            continue;
        print_human(view_header(&instance->merged->all, &column),
                    view_cell(&instance->merged->all, row, &column), value, sizeof value);
        text_add(out, "%s%s %s", out->length ? ", " : "", *axis, value);
    }
}

double instance_value(const struct instance *instance, const struct pair_quantity *quantity, int which)
{
    const struct frame *results = &instance->merged->all.results;
    size_t row = instance->row[which];
    if (row == SIZE_MAX)
        return NAN;
    double value = frame_find_real(results, row, quantity->column);
    if (quantity->plus)
        value += frame_find_real(results, row, quantity->plus);
    if (quantity->minus)
        value -= frame_find_real(results, row, quantity->minus);
    if (quantity->per)
        value /= frame_find_real(results, row, quantity->per);
    return value * quantity->factor;
}

bool instance_is_time(const struct pair_quantity *quantity)
{
    return !strcmp(quantity->column, COLUMN(time_median)) && !quantity->plus && !quantity->minus &&
           !quantity->per;
}

void instance_format_source(const struct instance *instance, const struct pair_quantity *quantity, int which,
                            char *out, size_t size)
{
    const struct pair_figure *source = &quantity->source[which];
    if (!source->given || !instance->source_counts)
        snprintf(out, size, "-");
    else if (source->high > source->low)
        snprintf(out, size, "%.6g to %.6g", source->low, source->high);
    else
        snprintf(out, size, "%.6g", source->low);
}

void instance_format_value(const struct instance *instance, const struct pair_quantity *quantity, int which,
                           char *out, size_t size)
{
    const struct frame *results = &instance->merged->all.results;
    double value = instance_value(instance, quantity, which);
    if (isnan(value)) {
        snprintf(out, size, "-");
        return;
    }
    int length = snprintf(out, size, "%.5g", value);
    if (instance_is_time(quantity) && (size_t)length < size)
        snprintf(out + length, size - (size_t)length, " (%.5g to %.5g)",
                 frame_find_real(results, instance->row[which], COLUMN(time_ci_low)) * quantity->factor,
                 frame_find_real(results, instance->row[which], COLUMN(time_ci_high)) * quantity->factor);
}

static double middle(const struct pair_figure *figure)
{
    return (figure->low + figure->high) / 2;
}

/* 1: rises, -1: falls, 0: neither. */
static int direction(double before, double after)
{
    double larger = fmax(fabs(before), fabs(after));
    return larger == 0 || fabs(after - before) < CHANGE * larger ? 0 : after > before ? 1 : -1;
}

/* For times the intervals decide. */
static int measured_direction(const struct instance *instance, const struct pair_quantity *quantity)
{
    const struct frame *results = &instance->merged->all.results;
    if (instance_is_time(quantity)) {
        const size_t *row = instance->row;
        if (frame_find_real(results, row[1], COLUMN(time_ci_low)) >
            frame_find_real(results, row[0], COLUMN(time_ci_high)))
            return 1;
        return frame_find_real(results, row[1], COLUMN(time_ci_high)) <
                       frame_find_real(results, row[0], COLUMN(time_ci_low))
                   ? -1
                   : 0;
    }
    return direction(instance_value(instance, quantity, 0), instance_value(instance, quantity, 1));
}

static bool is_measured(const struct instance *instance, const struct pair_quantity *quantity)
{
    return !isnan(instance_value(instance, quantity, 0)) && !isnan(instance_value(instance, quantity, 1));
}

/* Whether the source has a figure to compare the measurement with. */
static bool is_comparable(const struct instance *instance, const struct pair_quantity *quantity)
{
    return quantity->source[0].given && instance->source_counts && !instance->on_host;
}

bool instance_contradicts(const struct instance *instance, const struct pair_quantity *quantity)
{
    return is_measured(instance, quantity) && is_comparable(instance, quantity) &&
           measured_direction(instance, quantity) !=
               direction(middle(&quantity->source[0]), middle(&quantity->source[1]));
}

bool instance_excused_by_l2(const struct instance *instance, const struct pair_quantity *quantity)
{
    const struct column_info *column = column_find(quantity->column);
    bool timed = column && (column->role == ROLE_TIME || column->role == ROLE_RATE);
    return instance->in_l2 && (timed || !strncmp(quantity->column, "dram_", 5)) &&
           instance_contradicts(instance, quantity);
}

void instance_change(const struct instance *instance, const struct pair_quantity *quantity, char *out,
                     size_t size)
{
    static const char *const changes[] = {"falls", "does not change", "rises"};
    if (!is_measured(instance, quantity)) {
        snprintf(out, size, "not measured");
        return;
    }
    const char *change = changes[measured_direction(instance, quantity) + 1];
    if (instance_contradicts(instance, quantity))
        snprintf(out, size, "CONTRADICTS the source: %s%s", change,
                 instance_excused_by_l2(instance, quantity) ? " (fits in L2)" : "");
    else
        snprintf(out, size, "%s%s", change, is_comparable(instance, quantity) ? ", as in the source" : "");
}

/* The cases in ascending order of a quantity, measured or by the source. False when a figure is missing. */
bool instance_order(const struct instance *instance, bool measured, int order[PAIR_CASES_MAX])
{
    const struct pair_quantity *quantity = instance->pair->quantity;
    double value[PAIR_CASES_MAX];
    for (int i = 0; i < instance->cases; i++) {
        value[i] = measured ? instance_value(instance, quantity, i) : middle(&quantity->source[i]);
        if (isnan(value[i]) || (!measured && (!quantity->source[i].given || !instance->source_counts)))
            return false;
        int at = i;
        for (; at > 0 && value[order[at - 1]] > value[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return true;
}
