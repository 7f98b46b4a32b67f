/* macros.h - the macros that device code is compiled with, and a check that it uses them. */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "family/family.h"

/* A header that device code may include by this name. Tables end with a NULL name. */
struct device_header {
    const char *name, *text;
};

/* Append the -D options of a point's compiled axes to `out`, each followed by a newline. */
void macros_define(const struct point *point, struct text *out);

/* Check that the device code of `family` fits its axes: 0, or -1 (ERROR_USAGE).
 *
 * A name in a preprocessor condition (#if, #ifdef, #ifndef, #elif ...) must be a macro of a compiled axis; or defined by the
 * code or by a header that it includes; or a macro of the compiler: a name that begins with __ or with _ and a capital, and a
 * few of CUDA's. Any other name would silently be false. The code must mention each compiled axis by one of its macros;
 * otherwise all values of the axis would run the same code. Axes of a single word are exempt.
 *
 * `file`: name of the source in messages. `headers`: those that #include "..." may name, besides the family's own. */
int macros_check(const struct family *family, const char *file, const struct device_header *headers,
                 struct error *error);
