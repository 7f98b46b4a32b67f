/* method.h - the method section of a paper: how the numbers of a results file came to be, from what the file itself says,
 * and the works that the method rests on. */
#ifndef REPORT_METHOD_H
#define REPORT_METHOD_H

#include "output/document.h"
#include "store/store.h"

/* `path` is what the file is called in the text. Nothing is said of what the file does not know. */
void report_method(struct document *document, const struct dataset *dataset, const char *path);

/* BibTeX entries of the works cited, and of warpsweep. */
void report_bibtex(FILE *out);

#endif
