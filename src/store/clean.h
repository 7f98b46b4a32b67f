/* clean.h - texts that every reader can read. */
#ifndef STORE_CLEAN_H
#define STORE_CLEAN_H

#include <stddef.h>

/* Copy `text` into `out` (cut at a character's end when it is longer than `size` - 1 bytes), with '?' for
 * every byte that is not part of well-formed UTF-8 (Unicode 15, table 3-7) and a space for every control
 * character. */
void clean_text(const char *text, char *out, size_t size);

#endif
