#include "process/folders.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"

/* The real path of the folder that contains `file`: `installed`, relative to this executable, or in the
 * source tree `source`; NULL: neither does. */
static char *find_in(const char *installed, const char *source, const char *file)
{
    char executables[4096], *found = NULL;
    io_executable_folder(executables, sizeof executables);
    for (int i = 0; i < 2 && !found; i++) {
        struct text path = {0};
        text_add(&path, "%s/%s/", i ? WARPSWEEP_SOURCE : executables, i ? source : installed);
        size_t folder = path.length;
        text_add(&path, "%s", file);
        if (access(path.data, R_OK) == 0) {
            path.data[folder] = '\0';
            found = realpath(path.data, NULL);
        }
        text_free(&path);
    }
    return found;
}

char *shipped_folder(const char *name, const char *file)
{
    struct text installed = {0};
    text_add(&installed, WARPSWEEP_DATA "/%s", name);
    char *found = find_in(installed.data, name, file);
    text_free(&installed);
    return found;
}

char *shipped_file(const char *folder_name, const char *file, struct error *error)
{
    char *folder = shipped_folder(folder_name, file);
    struct text path = {0};
    if (folder)
        text_add(&path, "%s/%s", folder, file);
    else
        error_set(error, ERROR_ENVIRONMENT,
                  "cannot read %s/%s, which ships with warpsweep; is the installation complete?", folder_name,
                  file);
    free(folder);
    return path.data;
}

char *shipped_auxiliary(const char *name)
{
    char executables[4096], *found = NULL;
    const char *const folders[] = {".", WARPSWEEP_LIBRARIES};
    io_executable_folder(executables, sizeof executables);
    for (int i = 0; i < 2 && !found; i++) {
        struct text path = {0};
        text_add(&path, "%s/%s/%s", executables, folders[i], name);
        found = realpath(path.data, NULL);
        text_free(&path);
    }
    return found;
}

char *shipped_headers(struct error *error)
{
    char *folder = find_in(WARPSWEEP_HEADERS, "src", "family/family.h");
    if (!folder)
        error_set(error, ERROR_ENVIRONMENT,
                  "there are no headers of warpsweep: install the component `headers`");
    return folder;
}
