#include "toolkit/toolkit.h"

#include <stddef.h>
#include <string.h>

/* Groups of columns that some chips lack, each by the beginning of its names. */
enum { BULK = 1, CLUSTER = 2, DRAM = 4, LINKS = 8, F8 = 16, F4 = 32 };
static const struct {
    unsigned group;
    const char *begins;
} groups[] = {{BULK, "bulk_"},  {CLUSTER, "cluster_"}, {DRAM, "dram_"},
              {LINKS, "link_"}, {F8, "tensor_ops_f8"}, {F4, "tensor_ops_f4"}};

/* As CUPTI 13.0 answers without a GPU (cli.counters compares). GB112 is of later releases, which answer only
 * where there is a driver: taken to be as GB110. */
static const struct chip_known chips_known[] = {
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

const struct chip_known *chip_list_find(const char *name)
{
    for (const struct chip_known *chip = chips_known; chip->name; chip++)
        if (!strcmp(chip->name, name))
            return chip;
    return NULL;
}

bool chip_list_has(const struct chip_known *chip, const char *column)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (chip->lacks & groups[i].group && !strncmp(column, groups[i].begins, strlen(groups[i].begins)))
            return false;
    return true;
}
