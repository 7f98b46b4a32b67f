/* clean.h - make text from files, jobs and other programs safe to print: control characters, which a terminal would
 * execute or reorder text by, are escaped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether the bytes are well-formed UTF-8 without control characters (C0, DEL, C1, bidirectional). */
bool clean_is(const char *text, size_t length);

/* Copy `text` to `out`, cut between characters if longer than `size` - 1 bytes. Tabs and line ends become spaces; bytes of
 * other control characters and of invalid UTF-8 become \xHH. Idempotent. */
void clean_text(const char *text, char *out, size_t size);
/* The same into a new block, long enough, that the caller frees. */
char *clean_copy(const char *text);
