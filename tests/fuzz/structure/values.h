/* values.h - values that programs tend to get wrong, as words of a line: numbers as text, and texts with %XX for what a
 * word cannot hold. */
#pragma once

#include "base/text.h"
#include "dice.h"

/* Append one. The caller's memory. */
void value_integer(struct dice *dice, struct text *out);
void value_real(struct dice *dice, struct text *out);
void value_text(struct dice *dice, struct text *out);

/* Append `bytes` as one word. */
void value_escape(struct text *out, const void *bytes, size_t count);

/* The bytes that a word stands for, NUL-terminated; `*count` excludes that NUL. The caller frees them. */
char *value_unescape(const char *word, size_t *count);
