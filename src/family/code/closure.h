/* closure.h - what decides what this process measures, beyond its build and the files of families: lines
 * NAME\tVALUE, whose names those of /environment are, too.
 *
 *   interpreter, python   with families in Python: its version; that, and its path
 *   module.NAME           version of a module that they import
 *   file.NAME             hash of a file that they read from their folder, or of a module of the user's own
 *   version.NAME          version of a library, by its own function (library_version.h); compared by nobody
 *   library.NAME          build id of a mapped library; the system's and the driver's are left out
 *   variables             patterns of the variables that affect results; those that are set have lines, too
 */
#pragma once

#include "base/text.h"

/* Add the lines that are new, or have another value, since the last call. */
void closure_add(struct text *lines);
