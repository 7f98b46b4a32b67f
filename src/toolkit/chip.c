#include "toolkit/toolkit.h"

#include <stdio.h>

#include "base/text.h"
#include "core/metric.h"
#include "core/result.h"

#define CHIP_LIST_SOURCE "CUPTI 13.0" /* that the list was made with */

/* What CUPTI, or else the list of this release, says of the columns; of the list `*passes` is 0. */
static int ask(struct toolkit *toolkit, const char *chip, const char *const *columns, int count, bool *has,
               uint32_t *passes, struct error *error)
{
    const struct chip_known *known = chip_list_find(chip);
    if (!toolkit->no_cupti && toolkit_ask_chip(toolkit, chip, columns, count, has, passes, error) == 0)
        return 0;
    if (!known && toolkit->no_cupti)
        return error_set(error, ERROR_ENVIRONMENT,
                         "CUPTI fails, and the list of this release has no chip '%.40s'", chip);
    if (!known)
        return -1;
    if (!toolkit->no_cupti)
        fprintf(stderr,
                "warpsweep: note: %s; from here on the list of this release answers, which was made with "
                "%s\n",
                error->text, CHIP_LIST_SOURCE);
    toolkit->no_cupti = true;
    *passes = 0;
    for (int i = 0; i < count; i++)
        has[i] = chip_list_has(known, columns[i]);
    return 0;
}

int chip_print(struct toolkit *toolkit, const char *chip, const char *what, const char *const *columns,
               int count, struct error *error)
{
    bool has[RESULT_COUNTERS_MAX] = {false};
    uint32_t passes = 0;
    struct text missing = {0};
    int lacks = 0, own = 0;
    if (ask(toolkit, chip, columns, count, has, &passes, error) != 0)
        return -1;
    for (int i = 0; i < count; i++)
        if (!has[i]) {
            text_add(&missing, "%s%s", lacks++ ? ", " : "", columns[i]);
            own += !metric_find(columns[i]);
        }
    if (lacks)
        printf("%s: %d of %d columns of %s", chip, count - lacks, count, what);
    else
        printf("%s: all %d columns of %s", chip, count, what);
    if (passes)
        printf(", in %u pass%s", passes, passes == 1 ? "" : "es");
    printf("%s%s\n", lacks ? "; it has no " : "", lacks ? missing.data : "");
    text_free(&missing);
    return own;
}
