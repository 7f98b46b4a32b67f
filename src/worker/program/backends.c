#include "worker/backend.h"

#include <string.h>

#ifdef WARPSWEEP_CUDA
/* `compiler` only serves the tools: it measures nothing, and --backend does not take it. */
#define BACKENDS(X) BACKENDS_WITH_CUDA(X) X(compiler) BACKENDS_EVERYWHERE(X)
#else
#define BACKENDS(X) BACKENDS_EVERYWHERE(X)
#endif

#define X(name) extern const struct backend backend_##name;
BACKENDS(X)
#undef X

const struct backend *backend_find(const char *name)
{
    static const struct backend *const backends[] = {
#define X(name) &backend_##name,
        BACKENDS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (!strcmp(backends[i]->name, name))
            return backends[i];
    return NULL;
}
