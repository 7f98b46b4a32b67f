#include "process/shipped.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"

const char *shipped_place(void)
{
    return WARPSWEEP_SOURCE "/analysis";
}

/* The real path of the installed `folder`, or of the one in the source tree, that contains `file`; NULL: neither does. */
static char *find(const char *folder, const char *file)
{
    char executables[4096], *found = NULL;
    struct text installed = {0}, path = {0};
    io_executable_folder(executables, sizeof executables);
    text_add(&installed, "%s/" WARPSWEEP_DATA, executables);
    const char *candidates[] = {installed.data, WARPSWEEP_SOURCE};
    for (int i = 0; i < 2 && !found; i++) {
        path.length = 0;
        text_add(&path, "%s/%s/%s", candidates[i], folder, file);
        if (access(path.data, R_OK) == 0) {
            path.length = 0;
            text_add(&path, "%s/%s", candidates[i], folder);
            found = realpath(path.data, NULL);
        }
    }
    text_free(&installed);
    text_free(&path);
    return found;
}

char *shipped_folder(const char *file)
{
    return find("analysis", file);
}

char *shipped_profile(const char *name)
{
    struct text file = {0};
    text_add(&file, "%s.yaml", name);
    char *folder = find("profiles", file.data);
    struct text path = {0};
    if (folder)
        text_add(&path, "%s/%s", folder, file.data);
    text_free(&file);
    free(folder);
    return path.data;
}
