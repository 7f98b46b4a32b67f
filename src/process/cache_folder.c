#include "process/cache_folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"

static bool is_set(const char *value)
{
    return value && *value;
}

void cache_folder_find(char *out, size_t size)
{
    const char *own = getenv("WARPSWEEP_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    out[0] = '\0';
    if (is_set(own))
        length = snprintf(out, size, "%s", own);
    else if (is_set(xdg))
        length = snprintf(out, size, "%s/warpsweep", xdg);
    else if (is_set(home))
        length = snprintf(out, size, "%s/.cache/warpsweep", home);
    if (length < 0 || (size_t)length >= size)
        out[0] = '\0';
}

int cache_folder_make(char *out, size_t size, struct error *error)
{
    cache_folder_find(out, size);
    if (!out[0])
        return error_set(error, ERROR_ENVIRONMENT,
                         "no cache folder: none of WARPSWEEP_CACHE, "
                         "XDG_CACHE_HOME and HOME is set");
    int failed = io_make_folders(out, error);
    if (failed)
        out[0] = '\0';
    return failed;
}
