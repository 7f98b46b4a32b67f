#include "worker/cuda/counters/counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/metric.h"
#include "protocol/wire.h"

/* The distinct CUPTI metrics that are to be counted together. */
struct wanted {
    const char **metric; /* owned; the names are not */
    int count;
};

static void want(struct wanted *wanted, const char *metric)
{
    for (int i = 0; i < wanted->count; i++)
        if (!strcmp(wanted->metric[i], metric))
            return;
    wanted->metric[wanted->count++] = metric;
}

/* The first of the alternatives that the chip has, or NULL. */
static const char *choose(struct cupti_chip *chip, const char *const *alternatives)
{
    for (int i = 0; i < METRIC_NAMES_MAX && alternatives[i]; i++)
        if (cupti_chip_has(chip, alternatives[i], NULL))
            return alternatives[i];
    return NULL;
}

static bool want_column(struct cupti_chip *chip, const char *column, struct wanted *wanted)
{
    const struct metric *metric = metric_find(column);
    const char *own[METRIC_NAMES_MAX] = {column};
    const char *name = choose(chip, metric ? metric->cupti : own);
    const char *per = metric && metric->per[0] ? choose(chip, metric->per) : NULL;
    if (!name || (metric && metric->per[0] && !per))
        return false;
    want(wanted, name);
    if (per)
        want(wanted, per);
    return true;
}

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
    error_set(error, ERROR_ENVIRONMENT, "this CUPTI knows no chip '%.40s'%s%s%s; it knows %.600s", chip,
              nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "",
              known.data ? known.data : "none");
    text_free(&known);
    return -1;
}

/* Which of the columns any chip has at all: a name that none has is misspelt. */
static int ask_all(const char *const *columns, uint32_t count, bool *has, struct error *error)
{
    const char *const *names = cupti_chips(error);
    struct wanted wanted = {0};
    uint32_t found = 0, opened = 0;
    if (!names)
        return -1;
    memset(has, 0, count * sizeof *has);
    wanted.metric = memory_new((size_t)count * 2 + 1, sizeof *wanted.metric);
    for (; *names && found < count; names++) {
        struct cupti_chip *chip = NULL;
        if (cupti_chip_open(*names, &chip, error) != 0)
            continue;
        opened++;
        for (uint32_t i = 0; i < count; i++) {
            if (has[i] || !want_column(chip, columns[i], &wanted))
                continue;
            has[i] = true;
            found++;
        }
        cupti_chip_close(chip);
    }
    free(wanted.metric);
    return opened ? 0 : error_set(error, ERROR_ENVIRONMENT, "this CUPTI opens no chip");
}

int cuda_chip_ask(const char *chip, const char *const *columns, uint32_t count, bool *has, uint32_t *passes,
                  struct error *error)
{
    struct cupti_chip *opened = NULL;
    struct wanted wanted = {0};
    if (!strcmp(chip, CHIP_ANY)) {
        *passes = 0;
        return ask_all(columns, count, has, error);
    }
    if (check_name(chip, error) != 0 || cupti_chip_open(chip, &opened, error) != 0)
        return -1;
    wanted.metric = memory_new((size_t)count * 2 + 1, sizeof *wanted.metric);
    for (uint32_t i = 0; i < count; i++)
        has[i] = want_column(opened, columns[i], &wanted);
    int needed = cupti_chip_passes(opened, wanted.metric, wanted.count, error);
    if (needed >= 0)
        *passes = (uint32_t)needed;
    free(wanted.metric);
    cupti_chip_close(opened);
    return needed < 0 ? -1 : 0;
}
