/* readers.h - the commands that read results files. They are written in Python (python/src/warpsweep) and started from here, as git
 * starts git-NAME: same names, options, messages and exit codes as commands of this program. */
#pragma once

#include "base/error.h"

struct reader {
    const char *name, *summary;
};

extern const struct reader readers[]; /* in the order of the help; ends with {0} */

/* NULL: no reader has that name. */
const struct reader *reader_find(const char *name);

/* Become Python, which runs `warpsweep argv[0] argv[1] ...` of the shipped package. It finds this program in WARPSWEEP_PROGRAM. Returns
 * -1, if Python or the package is missing. `argv` ends with NULL. */
int reader_become(char **argv, struct error *error);
