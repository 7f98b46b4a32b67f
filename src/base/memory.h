/* memory.h - allocation that never returns NULL.
 *
 * Running out of host memory ends the process with a message and exit code 3: the results are in the journal
 * by then, and no caller could do better. The caller frees blocks with free(). */
#pragma once

#include <stddef.h>

void *memory_new(size_t count, size_t size); /* zeroed; overflow of the product is fatal too */
void *memory_resize(void *block, size_t count, size_t size);
char *memory_text(const char *text); /* a copy of `text` */

/* Make room for one more element in a growing array: doubles `capacity` when `count` has reached it. */
void *memory_grow(void *block, size_t count, size_t *capacity, size_t size);
