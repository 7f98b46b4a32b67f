/* texts.h - texts, each stored once: equal texts have equal pointers. */
#pragma once

#include <stddef.h>

struct texts; /* opaque */

struct texts *texts_new(void);
void texts_free(struct texts *texts); /* NULL is fine */

/* The copy of `length` bytes without NUL, which lives as long as `texts`. */
const char *texts_add(struct texts *texts, const char *text, size_t length);
