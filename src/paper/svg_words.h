/* svg_words.h - the words of gnuplot's drawings, written shorter: attributes and paths. */
#ifndef PAPER_SVG_WORDS_H
#define PAPER_SVG_WORDS_H

#include "base/text.h"

/* A tag, or the first `length` bytes of one: without what all groups have alike, colours as #rrggbb, and names of marks with
 * that prefix. */
void svg_put_tag(const char *tag, size_t length, const char *prefix, struct text *out);

/* The pieces of a path's d, from M to M: those that go anywhere, each once. */
void svg_put_pieces(const char *d, size_t length, struct text *out);

#endif
