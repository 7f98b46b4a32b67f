#include "toolkit/toolkit.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/metric.h"
#include "core/result.h"

/* How the names of the columns begin that a chip lacks, as CUPTI 13.0 answers without a GPU (cli.counters
 * compares). GB112 is of later releases, which answer only where there is a driver: taken to be as GB110. */
static const struct chip {
    const char *name, *lacks[5]; /* ends with NULL */
} chips[] = {
    {"GA100", {"bulk_", "cluster_", "tensor_ops_f8", "tensor_ops_f4"}}, /* A100 */
    {"GA102", {"bulk_", "cluster_", "tensor_ops_f8", "tensor_ops_f4"}}, /* A10, A40, RTX 3090 */
    {"AD102", {"bulk_", "cluster_", "link_", "tensor_ops_f4"}},         /* RTX 4090, L40 */
    {"AD104", {"bulk_", "cluster_", "link_", "tensor_ops_f4"}},         /* L4, RTX 4070 */
    {"GH100", {"tensor_ops_f4"}},                                       /* H100, H200, GH200 */
    {"GB100", {NULL}},                                                  /* B200, GB200 */
    {"GB110", {NULL}},                                                  /* B300, GB300 */
    {"GB112", {NULL}},                                                  /* B300, GB300 */
    {"GB10B", {"dram_", "link_"}},                                      /* Jetson Thor */
    {"GB202", {"link_"}},                                               /* RTX PRO 6000, RTX 5090 */
    {"GB203", {"link_"}},                                               /* RTX 5080 */
    {"GB20B", {"dram_", "link_"}},                                      /* GB10 (DGX Spark) */
    {0},
};

static bool has_column(const struct chip *chip, const char *column)
{
    for (const char *const *begin = chip->lacks; *begin; begin++)
        if (!strncmp(column, *begin, strlen(*begin)))
            return false;
    return true;
}

/* What CUPTI, or else the list of this release, says of the columns; of the list `*passes` is 0. */
static int ask(struct toolkit *toolkit, const char *name, const char *const *columns, int count, bool *has,
               uint32_t *passes, struct error *error)
{
    const struct chip *known = chips;
    while (known->name && strcmp(known->name, name) != 0)
        known++;
    if (!toolkit->no_cupti && toolkit_ask_chip(toolkit, name, columns, count, has, passes, error) == 0)
        return 0;
    if (!known->name && toolkit->no_cupti)
        return error_set(error, ERROR_ENVIRONMENT,
                         "CUPTI fails, and the list of this release has no chip '%.40s'", name);
    if (!known->name)
        return -1;
    if (!toolkit->no_cupti)
        fprintf(stderr,
                "warpsweep: note: %s; from here on the list of this release answers, made with CUPTI 13.0\n",
                error->text);
    toolkit->no_cupti = true;
    *passes = 0;
    for (int i = 0; i < count; i++)
        has[i] = has_column(known, columns[i]);
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
            text_add(&missing, "%s%s", lacks++ ? ", " : "; it has no ", columns[i]);
            own += !metric_find(columns[i]);
        }
    if (lacks)
        printf("%s: %d of %d columns of %s", chip, count - lacks, count, what);
    else
        printf("%s: all %d columns of %s", chip, count, what);
    if (passes)
        printf(", in %u pass%s", passes, passes == 1 ? "" : "es");
    printf("%s\n", missing.data ? missing.data : "");
    text_free(&missing);
    return own;
}
