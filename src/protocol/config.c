#include "protocol/config.h"

const char *const clock_words[] = {"sustained", "boost", "transient", "any", NULL};

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
