/* utf8.h - is this the UTF-8 text of a job file, and if not, where does it stop being that? */
#ifndef PLAN_UTF8_H
#define PLAN_UTF8_H

#include <stddef.h>

struct utf8_place {
    int line, column; /* from 1; columns count characters */
};

/* What is wrong with the text, and where: a NUL byte, a control character, or bytes that are no UTF-8 (RFC
 * 3629). NULL when nothing is. Tabs, line feeds and carriage returns are text. */
const char *utf8_fault(const char *text, size_t size, struct utf8_place *place);

/* Line and column of byte `offset` of a text that is UTF-8 up to there. */
struct utf8_place utf8_place_of(const char *text, size_t offset);

#endif
