#include "store/hdf5_error.h"

#include <hdf5.h>
#include <stdio.h>

void hdf5_quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* Called for each entry, innermost first: the first is the cause. */
static herr_t keep_first(unsigned number, const H5E_error2_t *entry, void *data)
{
    char *out = data;
    if (number == 0 && entry->desc)
        snprintf(out, 256, "%s", entry->desc);
    return 0;
}

int hdf5_fail(struct error *error, const char *path, const char *what)
{
    char cause[256] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, cause);
    H5Eclear2(H5E_DEFAULT);
    if (!*cause)
        return error_set(error, ERROR_ENVIRONMENT, "%s: %s", path, what);
    return error_set(error, ERROR_ENVIRONMENT, "%s: %s (HDF5: %s)", path, what, cause);
}
