#include "process/folders.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

static bool is_set(const char *value)
{
    return value && *value;
}

/* Code in the cache is executed, so no other user may be able to write there. A missing folder is created as
 * our own. */
static int check_owner(const char *folder, struct error *error)
{
    struct stat status;
    if (stat(folder, &status) != 0)
        return 0;
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return error_set(error, ERROR_ENVIRONMENT,
                         "the cache folder %s is not used: it belongs to another user; set WARPSWEEP_CACHE "
                         "to one of your own",
                         folder);
    if (status.st_mode & S_IWOTH)
        return error_set(error, ERROR_ENVIRONMENT,
                         "the cache folder %s is not used: every user can write to it; chmod o-w, or set "
                         "WARPSWEEP_CACHE to another",
                         folder);
    /* Whoever may write to a folder above it may put another folder in its place. */
    char *above = io_real_path(folder);
    int failed = 0;
    for (char *slash; !failed && (slash = strrchr(above, '/')) && slash > above;) {
        *slash = '\0';
        if (stat(above, &status) == 0 && status.st_mode & S_IWOTH && !(status.st_mode & S_ISVTX))
            failed =
                error_set(error, ERROR_ENVIRONMENT,
                          "the cache folder %s is not used: every user can write to %s; chmod o-w, or set "
                          "WARPSWEEP_CACHE to another",
                          folder, above);
    }
    free(above);
    return failed;
}

int cache_folder_find(char *out, size_t size, struct error *error)
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
    int failed = check_owner(out, error);
    if (failed)
        out[0] = '\0';
    return failed;
}

int cache_folder_make(char *out, size_t size, struct error *error)
{
    if (cache_folder_find(out, size, error) != 0)
        return -1;
    if (!out[0])
        return error_set(error, ERROR_ENVIRONMENT,
                         "no cache folder: none of WARPSWEEP_CACHE, XDG_CACHE_HOME and HOME is set");
    int failed = io_make_folders(out, error);
    if (failed)
        out[0] = '\0';
    return failed;
}
