/* paired.h - what the processes of a paired run tell, for paired.c and paired_effects.c. */
#pragma once

#include "analysis/comparison.h"
#include "statistics/paired.h"

/* What one process tells of one pair. */
struct paired_process {
    size_t pair; /* of the comparison */
    uint32_t device, process;
    uint32_t turn; /* processes of the device that had measured the pair before; odd: b came first */
    struct paired paired;
};

struct paired_processes {
    struct paired_process *at;
    size_t count, capacity;
};

/* Add to the assumptions of a comparison what pairs share, how large the effects of order are, and why pairs have no verdict. */
void paired_explain(struct comparison *comparison, const struct paired_processes *all);
