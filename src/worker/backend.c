#include "worker/backend.h"

#include <string.h>

#include "family/target.h"

extern const struct backend backend_host, backend_fake;
#ifdef WARPSWEEP_CUDA
extern const struct backend backend_cuda, backend_compiler;
#endif

const struct backend *backend_find(const char *name)
{
    static const struct backend *const backends[] = {
#ifdef WARPSWEEP_CUDA
        &backend_cuda,
        &backend_compiler,
#endif
        &backend_host,
        &backend_fake,
    };
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (!strcmp(backends[i]->name, name))
            return backends[i];
    return NULL;
}

struct target backend_target(const struct device *device)
{
    return target_of_device(device);
}
