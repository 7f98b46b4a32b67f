#include "worker/cuda/counters/counters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/metric.h"

static int add_metric(struct columns *columns, const char *name)
{
    for (int i = 0; i < columns->metrics; i++)
        if (!strcmp(columns->metric[i], name))
            return i;
    columns->metric[columns->metrics] = name;
    return columns->metrics++;
}

/* The first of the alternatives that the chip has; -1: none. */
static int choose_metric(struct columns *columns, struct cupti_chip *chip, const char *const *alternatives)
{
    for (int i = 0; i < METRIC_NAMES_MAX && alternatives[i]; i++)
        if (cupti_chip_has(chip, alternatives[i], NULL))
            return add_metric(columns, alternatives[i]);
    return -1;
}

void columns_plan(struct columns *columns, const struct config *config, struct cupti_chip *chip, char *note,
                  size_t size)
{
    struct text missing = {0};
    columns->count = config->counter_count;
    for (int i = 0; i < config->counter_count; i++) {
        const char *own[METRIC_NAMES_MAX] = {config->counter[i]};
        const struct metric *metric = metric_find(config->counter[i]);
        int value = choose_metric(columns, chip, metric ? metric->cupti : own);
        int per = metric && metric->per[0] ? choose_metric(columns, chip, metric->per) : -1;
        if (metric && metric->per[0] && per < 0)
            value = -1;
        columns->column[i].value = value;
        columns->column[i].per = per;
        columns->column[i].factor = metric ? metric->factor : 1;
        if (value < 0)
            text_add(&missing, "%s%s", missing.length ? ", " : "", config->counter[i]);
    }
    if (missing.length)
        snprintf(note, size, "%s does not count %.400s", cupti_chip_name(chip), missing.data);
    text_free(&missing);
}

void columns_fill(const struct columns *columns, const double *raw, double *values)
{
    for (int c = 0; c < columns->count; c++) {
        int value = columns->column[c].value, per = columns->column[c].per;
        if (value >= 0)
            values[c] = raw[value] * columns->column[c].factor / (per < 0 ? 1 : raw[per]);
        if (!isfinite(values[c]))
            values[c] = NAN; /* nothing over nothing */
    }
}
