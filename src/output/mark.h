/* mark.h - what was read with --salvage is marked wherever it is printed or drawn. */
#pragma once

#include "base/text.h"
#include "output/markup.h"

/* "Not verified: FILE: wrong checksum of /results.", between `before` and `after`; nothing when all checksums were right. */
void mark_print(FILE *out, enum markup markup, const char *before, const char *after);

/* The same at the end of a caption, after a space. */
void mark_add(struct text *out);
