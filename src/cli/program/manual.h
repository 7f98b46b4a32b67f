/* manual.h - `warpsweep __man PAGE [DOCUMENT]`: the man pages, from the tables that the program itself goes by. */
#ifndef CLI_PROGRAM_MANUAL_H
#define CLI_PROGRAM_MANUAL_H

#include "base/error.h"

/* Print a page: "warpsweep", a command's name, or "job" and "results" with the document (docs/job-file.md,
 * docs/results-file.md) that describes the file; "pages" lists the names of all pages. The exit code, or -1. */
int manual_print(int words, char **word, struct error *error);

#endif
