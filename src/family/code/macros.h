/* macros.h - the macros that device code is compiled with, and whether it goes by just those. */
#ifndef FAMILY_CODE_MACROS_H
#define FAMILY_CODE_MACROS_H

#include "base/error.h"
#include "base/text.h"
#include "family/family.h"

/* A header that device code may include by this name. Tables of them end with a NULL name. */
struct device_header {
    const char *name, *text;
};

/* The -D options of a point's compiled axes, appended to `out`, each with a newline after it. */
void macros_define(const struct point *point, struct text *out);

/* Whether the device code of `family` and its axes belong together: 0, or -1 (ERROR_USAGE) with what does
 * not.
 *
 * A name in a preprocessor condition (#if, #ifdef, #ifndef, #elif ...) has to be a macro of a compiled axis,
 * with any of its words; defined by the code or a header that it includes; or the compiler's own, which are
 * those that begin with __ or _ and a capital, and a few of CUDA's. Any other would be false in silence. A
 * compiled axis has to be mentioned, by one of its macros: else every value of it would run the same code.
 * (An axis of one word need not be: there is no other.)
 *
 * `file` is what errors call the source; `headers` is where #include "..." is looked up. */
int macros_check(const struct family *family, const char *file, const struct device_header *headers,
                 struct error *error);

#endif
