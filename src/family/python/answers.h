/* answers.h - reads what Python says of a family and of a point. Texts live as long as the process. */
#pragma once

#include "base/error.h"
#include "family/family.h"

/* A point: why it is unsupported, or why its functions failed, or what they returned. */
struct description {
    const char *skip, *failure; /* NULL: not so */
    struct setup setup;
    struct work work;
    struct tolerance tolerance;
};

struct description description_failed(const char *why);
struct description description_read(const char *answer);

/* Fill in name, summary and axes of a family, the common axes behind its own, and its number in the interpreter. -1 with an ERROR_USAGE
 * that begins with `path`. */
int description_read_family(const char *path, const char *answer, int *number, struct family *family,
                            struct error *error);
