#include "cli/data/shipped.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"

const char *shipped_place(void)
{
    return WARPSWEEP_ANALYSIS;
}

char *shipped_folder(const char *file)
{
    struct text installed = {0}, path = {0};
    char folder[4096], *whole = NULL;
    io_executable_folder(folder, sizeof folder);
    text_add(&installed, "%s/../share/warpsweep/analysis", folder);
    const char *candidates[] = {installed.data, WARPSWEEP_ANALYSIS};
    for (int i = 0; i < 2 && !whole; i++) {
        path.length = 0;
        text_add(&path, "%s/%s", candidates[i], file);
        if (access(path.data, R_OK) == 0)
            whole = realpath(candidates[i], NULL);
    }
    text_free(&installed);
    text_free(&path);
    return whole;
}
