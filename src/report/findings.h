/* findings.h - what the files say of each family, in sentences: its best variant, how far from its roof and from the
 * vendor's, and where curves bend. Nothing is said of what intervals cannot tell apart. */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include "output/document.h"
#include "results/merge.h"

/* Device by device a table of the families' best, then a sentence or two for each family. */
void report_findings(struct document *document, const struct merged *merged);

#endif
