/* utf8.h - find bytes that are not allowed in the text of a job file. */
#ifndef PLAN_UTF8_H
#define PLAN_UTF8_H

#include <stddef.h>

struct utf8_place {
    int line, column; /* from 1; columns count characters */
};

/* The first fault of the text and its place: a NUL byte, a control character other than tab, line feed and carriage return,
 * or invalid UTF-8. NULL: none. */
const char *utf8_fault(const char *text, size_t size, struct utf8_place *place);

/* Line and column of byte `offset`. The text must be valid UTF-8 up to there. */
struct utf8_place utf8_place_of(const char *text, size_t offset);

#endif
