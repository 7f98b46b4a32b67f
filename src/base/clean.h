/* clean.h - texts from elsewhere (files, jobs, other programs) made safe to print: what a terminal would obey is shown
 * instead. */
#ifndef BASE_CLEAN_H
#define BASE_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the bytes are well-formed UTF-8 (Unicode 15, table 3-7) without control characters (C0, DEL, C1). */
bool clean_is(const char *text, size_t length);

/* Copy `text` into `out` (cut at a character's end when it is longer than `size` - 1 bytes): a space for each tab and
 * line end, \xHH for every byte of other control characters and of what is no UTF-8. What comes out is clean, and
 * stays as it is when cleaned again. */
void clean_text(const char *text, char *out, size_t size);

#endif
