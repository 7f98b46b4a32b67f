/* memory.h - allocation that does not return NULL.
 *
 * Running out of host memory ends the process with a message: what was measured is in the journal
 * by then, and no caller could do better. The caller owns what it gets and frees it with free(). */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

void *memory_new(size_t count, size_t size); /* zeroed; overflow of the product is fatal too */
void *memory_resize(void *block, size_t count, size_t size);
char *memory_text(const char *text); /* a copy of `text` */

/* Make room for one more element in a growing array: doubles `capacity` when `count` has reached it. */
void *memory_grow(void *block, size_t count, size_t *capacity, size_t size);

#endif
