#include "protocol/config.h"

const char *const clock_words[] = {"sustained", "boost", "transient", "any", NULL};

/* Minimum samples of a process when several share min_samples: fewer do not show its noise. */
#define PROCESS_MIN 10

uint32_t config_samples_min(const struct timing *timing)
{
    uint32_t processes = timing->replicates ? timing->replicates : 1;
    uint32_t share = (timing->min_samples + processes - 1) / processes;
    uint32_t least = share < PROCESS_MIN ? PROCESS_MIN : share;
    if (least > timing->min_samples)
        least = timing->min_samples;
    return least ? least : 1;
}

struct config config_standard(void)
{
    return (struct config){
        .timing = {.cache = CACHE_COLD,
                   .min_samples = 10,
                   .max_samples = 1000,
                   .target_ci = 0.005,
                   .max_time = 2,
                   .timeout = 60,
                   .replicates = 3},
        .threads = 1,
    };
}
