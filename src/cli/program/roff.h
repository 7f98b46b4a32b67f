/* roff.h - text as man pages take it. */
#ifndef CLI_PROGRAM_ROFF_H
#define CLI_PROGRAM_ROFF_H

#include <stddef.h>
#include <stdio.h>

/* Characters that roff would take for itself, escaped; at the start of a line also . and '. Dashes stay what can be
 * typed. Newlines stay. */
void roff_text(FILE *out, const char *text, size_t length);

/* Lines as they are: of a terminal, or of a file. */
void roff_literal(FILE *out, const char *text, size_t length);

/* The body of a page from a document in Markdown: headings of the second level become sections, tables lists of terms, the
 * first heading nothing. Knows what this project's documents use of it. */
void roff_markdown(FILE *out, const char *markdown);

#endif
