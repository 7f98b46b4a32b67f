#include "toolkit/toolkit.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/metric.h"
#include "core/result.h"

#define CHIP_LIST_SOURCE "CUPTI 13.0" /* that the list was made with */

/* ---- The chips that this release knows, and the groups of columns that each of them lacks ---- */

/* Groups of columns that some chips lack, each by the beginning of its names. */
enum { BULK = 1, CLUSTER = 2, DRAM = 4, LINKS = 8, F8 = 16, F4 = 32 };
static const struct {
    unsigned group;
    const char *begins;
} groups[] = {{BULK, "bulk_"},  {CLUSTER, "cluster_"}, {DRAM, "dram_"},
              {LINKS, "link_"}, {F8, "tensor_ops_f8"}, {F4, "tensor_ops_f4"}};

/* As CUPTI 13.0 answers without a GPU (cli.counters compares). GB112 is of later releases, which answer only
 * where there is a driver: taken to be as GB110. */
static const struct chip {
    const char *name;  /* CUPTI's */
    const char *about; /* products */
    unsigned lacks;
} chips[] = {
    {"GA100", "A100", BULK | CLUSTER | F8 | F4},
    {"GA102", "A10, A40, RTX 3090", BULK | CLUSTER | F8 | F4},
    {"AD102", "RTX 4090, L40", BULK | CLUSTER | LINKS | F4},
    {"AD104", "L4, RTX 4070", BULK | CLUSTER | LINKS | F4},
    {"GH100", "H100, H200, GH200", F4},
    {"GB100", "B200, GB200", 0},
    {"GB110", "B300, GB300", 0},
    {"GB112", "B300, GB300", 0},
    {"GB10B", "Jetson Thor", DRAM | LINKS},
    {"GB202", "RTX PRO 6000, RTX 5090", LINKS},
    {"GB203", "RTX 5080", LINKS},
    {"GB20B", "GB10 (DGX Spark)", DRAM | LINKS},
    {0},
};

static const struct chip *find_chip(const char *name)
{
    for (const struct chip *chip = chips; chip->name; chip++)
        if (!strcmp(chip->name, name))
            return chip;
    return NULL;
}

static bool has_column(const struct chip *chip, const char *column)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (chip->lacks & groups[i].group && !strncmp(column, groups[i].begins, strlen(groups[i].begins)))
            return false;
    return true;
}

/* ---- Asking ---- */

/* What CUPTI, or else the list of this release, says of the columns; of the list `*passes` is 0. */
static int ask(struct toolkit *toolkit, const char *chip, const char *const *columns, int count, bool *has,
               uint32_t *passes, struct error *error)
{
    const struct chip *known = find_chip(chip);
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
