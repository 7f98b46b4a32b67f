#include "worker/cuda/counters/cuda_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/metric.h"
#include "protocol/wire.h"

/* The index of a metric among `count` distinct ones, of which it becomes one. */
static int add_metric(const char **known, int *count, const char *name)
{
    for (int i = 0; i < *count; i++)
        if (!strcmp(known[i], name))
            return i;
    known[*count] = name;
    return (*count)++;
}

/* The first of the alternatives that the chip has; NULL: none. */
static const char *choose(struct cupti_chip *chip, const char *const *alternatives)
{
    for (int i = 0; i < METRIC_NAMES_MAX && alternatives[i]; i++)
        if (cupti_chip_has(chip, alternatives[i]))
            return alternatives[i];
    return NULL;
}

/* The metric of a column, and what it is divided by, among `count` distinct ones; -1: none. False: the chip
 * lacks the column. */
static bool add_column(struct cupti_chip *chip, const char *column, const char **known, int *count,
                       struct metric_pair *pair)
{
    const struct metric *metric = metric_find(column);
    const char *own[METRIC_NAMES_MAX] = {column};
    const char *value = choose(chip, metric ? metric->cupti : own);
    const char *per = metric && metric->per[0] ? choose(chip, metric->per) : NULL;
    bool lacks = !value || (metric && metric->per[0] && !per);
    pair->value = lacks ? -1 : add_metric(known, count, value);
    pair->per = lacks || !per ? -1 : add_metric(known, count, per);
    pair->factor = metric ? metric->factor : 1;
    return !lacks;
}

void columns_plan(struct columns *columns, const struct config *config, struct cupti_chip *chip, char *note,
                  size_t size)
{
    struct text missing = {0};
    columns->count = config->counter_count;
    for (int i = 0; i < config->counter_count; i++) {
        if (!add_column(chip, config->counter[i], columns->metric, &columns->metrics, &columns->column[i]))
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

/* ---- What a chip offers ---- */

static int check_name(const char *chip, struct error *error)
{
    const char *const *names = cupti_chips(error);
    struct text known = {0};
    if (!names)
        return -1;
    for (int i = 0; names[i]; i++) {
        if (!strcmp(names[i], chip)) {
            text_free(&known);
            return 0;
        }
        text_add(&known, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = text_nearest(chip, names);
    error_set(error, ERROR_USAGE, "this CUPTI knows no chip '%.40s'%s%s%s; it knows %.600s", chip,
              nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "",
              known.data ? known.data : "none");
    text_free(&known);
    return -1;
}

/* Which of the columns any chip has at all: a name that none has is misspelt. */
static int ask_all(const char *const *columns, uint32_t count, bool *has, struct error *error)
{
    const char *const *names = cupti_chips(error);
    const char **unused = memory_new((size_t)count * 2 + 1, sizeof *unused);
    struct metric_pair pair;
    uint32_t found = 0, opened = 0;
    int distinct = 0;
    memset(has, 0, count * sizeof *has);
    for (; names && *names && found < count; names++) {
        struct cupti_chip *chip = NULL;
        if (cupti_chip_open(*names, &chip, error) != 0)
            continue;
        opened++;
        for (uint32_t i = 0; i < count; i++) {
            if (has[i] || !add_column(chip, columns[i], unused, &distinct, &pair))
                continue;
            has[i] = true;
            found++;
        }
        cupti_chip_close(chip);
    }
    free(unused);
    if (opened)
        return 0;
    return names ? error_set(error, ERROR_ENVIRONMENT, "this CUPTI opens no chip") : -1;
}

int cuda_chip_ask(const char *chip, const char *const *columns, uint32_t count, bool *has, uint32_t *passes,
                  struct error *error)
{
    struct cupti_chip *opened = NULL;
    struct metric_pair pair;
    int distinct = 0;
    if (!strcmp(chip, CHIP_ANY)) {
        *passes = 0;
        return ask_all(columns, count, has, error);
    }
    if (check_name(chip, error) != 0 || cupti_chip_open(chip, &opened, error) != 0)
        return -1;
    const char **metric = memory_new((size_t)count * 2 + 1, sizeof *metric);
    for (uint32_t i = 0; i < count; i++)
        has[i] = add_column(opened, columns[i], metric, &distinct, &pair);
    int needed = cupti_chip_passes(opened, metric, distinct, error);
    if (needed >= 0)
        *passes = (uint32_t)needed;
    free(metric);
    cupti_chip_close(opened);
    return needed < 0 ? -1 : 0;
}
