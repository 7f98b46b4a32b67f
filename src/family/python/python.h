/* python.h - kernel families written in Python: NAME.py in place of NAME.so (docs/python-kernels.md).
 *
 * The family's functions ask the interpreter (bridge.h), and keep what was answered. What a function raises is kept, too, until
 * `failure` of struct family is asked for it: the functions themselves cannot fail. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "family/family.h"

/* Whether the file name is that of a family: NAME.py, the name not beginning with an underscore. */
bool python_is_family(const char *name);

/* The family of NAME.py, for the life of the process. Its `source` is the text of the file. NULL with an error. Call it before
 * threads start. */
struct family *python_load(const char *path, struct error *error);

/* "python VERSION PATH" and "module.NAME VERSION" of what the loaded families import, as lines NAME\tVERSION; the caller frees. NULL:
 * there are no such families. */
char *python_versions(void);
