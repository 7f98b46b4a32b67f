/* text.h - growing text; parsing and formatting of sizes, durations and percentages; text that is safe to
 * print. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place of `word` in `words`, which ends with NULL; -1: it is not among them. */
int text_find(const char *const *words, const char *word);

/* A growing, always NUL-terminated text. Start from {0}; text_free returns it to that. */
struct text {
    char *data; /* NULL while nothing was added */
    size_t length, capacity;
};
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_append(struct text *text, const void *bytes, size_t count);
void text_free(struct text *text);

/* Add a word as a shell reads it back: in single quotes if it needs them. */
void text_add_quoted(struct text *text, const char *word);

/* "64KiB", "1 MiB", "4GiB", "1000", "1e6", "2MB" (SI) → bytes. False unless the text is a non-negative
 * integer that fits int64_t. */
bool text_parse_bytes(const char *text, int64_t *bytes);

/* The likely meaning of a size whose unit text_parse_bytes rejects: "64mib" and "64M" → "64MiB". False if
 * there is none. */
bool text_hint_bytes(const char *text, char *out, size_t size);

/* A decimal integer with an optional sign, also as "1e6". */
bool text_parse_integer(const char *text, int64_t *value);

/* "0.5%", "0.005" → 0.005; finite and non-negative. */
bool text_parse_fraction(const char *text, double *fraction);

/* "2s", "500ms", "10us", "5min", "6h", "01:30:00", "90" (seconds) → seconds; finite and non-negative. */
bool text_parse_seconds(const char *text, double *seconds);

/* 65536 → "64KiB", 1000 → "1000". text_parse_bytes reads back the same value. */
void text_format_bytes(int64_t bytes, char *out, size_t size);

/* The same where it takes up to four digits; else four digits in the unit that fits: 1588716544 →
 * "1.48GiB". */
void text_format_bytes_short(int64_t bytes, char *out, size_t size);

/* 0.0000123 → "12.3us", 95 → "1min 35s"; rounded, not to be parsed. */
void text_format_seconds(double seconds, char *out, size_t size);

/* The candidate most similar to `name`: by edit distance, or because `name` abbreviates it. NULL if none is
 * similar enough. `candidates` ends with NULL. Case is ignored. */
const char *text_nearest(const char *name, const char *const *candidates);

/* ---- Safe to print (clean.c): control characters, which a terminal would execute or reorder text by, are
 * escaped */

/* Whether the bytes are well-formed UTF-8 without control characters (C0, DEL, C1, bidirectional). */
bool clean_is(const char *text, size_t length);

/* Copy `text` to `out`, cut between characters if longer than `size` - 1 bytes. Tabs and line ends become
 * spaces; bytes of other control characters and of invalid UTF-8 become \xHH. Idempotent. */
void clean_text(const char *text, char *out, size_t size);
/* The same into a new block, long enough, that the caller frees. */
char *clean_copy(const char *text);
