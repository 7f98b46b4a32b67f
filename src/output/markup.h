/* markup.h - the languages that tables and documents are written in, and how a text is escaped in each. */
#pragma once

#include <stdio.h>

enum markup { MARKUP_TEXT, MARKUP_MD, MARKUP_LATEX, MARKUP_HTML, MARKUP_COUNT };

/* Write `text` so that it reads as it is. Line ends and tabs become spaces in Markdown and LaTeX. What HTML gets is safe in
 * attributes in double quotes, too. MARKUP_TEXT: unchanged. */
void markup_print(FILE *out, enum markup markup, const char *text);

/* A name for files, LaTeX labels and HTML anchors. Only markup_name makes it: of letters, digits, '_', '-' and '.', which is
 * not the first. Other texts get a hash, so that different texts have different names. */
struct markup_name {
    char text[48];
};
struct markup_name markup_name(const char *text);
