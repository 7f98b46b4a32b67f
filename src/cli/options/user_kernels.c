#include "cli/options/user_kernels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "family/code/plugin.h"
#include "kernels/registry.h"

int user_kernels_load(const struct arguments *arguments, struct error *error)
{
    const char *given = options_text(arguments, "kernels");
    if (!given) {
        unsetenv(PLUGIN_VARIABLE); /* workers must know the same kernels as we do */
        return 0;
    }
    char *folder = realpath(given, NULL);
    if (!folder)
        return error_set(error, ERROR_USAGE, "--kernels %.400s: %s", given, strerror(errno));
    setenv(PLUGIN_VARIABLE, folder, 1);
    int failed = registry_load_folder(folder, error);
    free(folder);
    return failed;
}
