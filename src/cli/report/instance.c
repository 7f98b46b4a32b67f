#include "cli/report/instance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHANGE 0.02 /* relative: less is no change */

double instance_value(const struct instance *instance, const struct pair_quantity *quantity, int which)
{
    const struct frame *results = &instance->merged->all.results;
    size_t row = instance->row[which];
    if (row == SIZE_MAX)
        return NAN;
    double value = frame_find_real(results, row, quantity->column);
    if (quantity->plus)
        value += frame_find_real(results, row, quantity->plus);
    if (quantity->per)
        value /= frame_find_real(results, row, quantity->per);
    return value * quantity->factor;
}

bool instance_is_time(const struct pair_quantity *quantity)
{
    return !strcmp(quantity->column, "time_median");
}

void instance_format_source(const struct instance *instance, const struct pair_quantity *quantity, int which,
                            char *out, size_t size)
{
    const struct pair_figure *source = &quantity->source[which];
    if (!source->given || !instance->source_counts)
        snprintf(out, size, "-");
    else if (source->high != 0)
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
                 frame_find_real(results, instance->row[which], "time_ci_low") * quantity->factor,
                 frame_find_real(results, instance->row[which], "time_ci_high") * quantity->factor);
}

static double middle(const struct pair_figure *figure)
{
    return figure->high != 0 ? (figure->low + figure->high) / 2 : figure->low;
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
        if (frame_find_real(results, row[1], "time_ci_low") >
            frame_find_real(results, row[0], "time_ci_high"))
            return 1;
        return frame_find_real(results, row[1], "time_ci_high") <
                       frame_find_real(results, row[0], "time_ci_low")
                   ? -1
                   : 0;
    }
    return direction(instance_value(instance, quantity, 0), instance_value(instance, quantity, 1));
}

void instance_change(const struct instance *instance, const struct pair_quantity *quantity, char *out,
                     size_t size)
{
    static const char *const changes[] = {"falls", "does not change", "rises"};
    if (isnan(instance_value(instance, quantity, 0)) || isnan(instance_value(instance, quantity, 1))) {
        snprintf(out, size, "not measured");
        return;
    }
    int ours = measured_direction(instance, quantity);
    if (!quantity->source[0].given || !quantity->source[1].given || !instance->source_counts) {
        snprintf(out, size, "%s", changes[ours + 1]);
        return;
    }
    int theirs = direction(middle(&quantity->source[0]), middle(&quantity->source[1]));
    if (ours == theirs)
        snprintf(out, size, "%s, as in the source", changes[ours + 1]);
    else
        snprintf(out, size, "CONTRADICTS the source: %s", changes[ours + 1]);
}

/* The cases in the order of a quantity, by the source (`measured` false) or by us. False when a figure is
 * missing. */
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
