#include "family/target.h"

#include <string.h>

static uint64_t known(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

struct target target_of_device(const struct device *device)
{
    return (struct target){
        .capability = (int)known(device->capability),
        .multiprocessors = (int)known(device->multiprocessors),
        .l2_bytes = known(device->l2_bytes),
        .memory_bytes = known(device->memory_bytes),
        .shared_bytes = known(device->shared_bytes),
        .shared_sm_bytes = known(device->shared_sm_bytes),
        .threads_sm = (int)known(device->threads_sm),
        .host = !strcmp(device->backend, "host"),
    };
}
