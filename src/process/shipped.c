#include "process/shipped.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"

/* The real path of the folder that contains `file`: `installed`, relative to this executable, or in the source tree `source`; NULL:
 * neither does. */
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

static char *find(const char *folder, const char *file)
{
    struct text installed = {0};
    text_add(&installed, WARPSWEEP_DATA "/%s", folder);
    char *found = find_in(installed.data, folder, file);
    text_free(&installed);
    return found;
}

/* The path of a file in a folder that ships; NULL: it is not there. */
static char *find_file(const char *folder_name, const char *file)
{
    char *folder = find(folder_name, file);
    struct text path = {0};
    if (folder)
        text_add(&path, "%s/%s", folder, file);
    free(folder);
    return path.data;
}

char *shipped_python(const char *name)
{
    return find_file("python/src/warpsweep", name);
}

char *shipped_package(void)
{
    return find("python/src", "warpsweep/__init__.py");
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

char *shipped_profile(const char *name)
{
    struct text file = {0};
    text_add(&file, "%s.yaml", name);
    char *path = find_file("profiles", file.data);
    text_free(&file);
    return path;
}

char *shipped_example(const char *file, struct error *error)
{
    char *path = find_file("examples", file);
    if (!path)
        error_set(error, ERROR_ENVIRONMENT, "cannot read examples/%s, which ships with warpsweep", file);
    return path;
}

char *shipped_headers(struct error *error)
{
    char *folder = find_in(WARPSWEEP_HEADERS, "src", "family/family.h");
    if (!folder)
        error_set(error, ERROR_ENVIRONMENT,
                  "there are no headers of warpsweep: install the component `headers`");
    return folder;
}
