/* html.h - text for a page. */
#ifndef OUTPUT_HTML_H
#define OUTPUT_HTML_H

#include <stdio.h>

/* `text` with what HTML would take for itself escaped; for attributes in double quotes, too. */
void html_print_text(FILE *out, const char *text);

#endif
