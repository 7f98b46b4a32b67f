/* findings.h - what the files say of each family, in sentences: its best variant, how far from its roof and from the
 * vendor's, and where curves bend. Nothing is said of what intervals cannot tell apart. */
#ifndef CLI_REPORT_FINDINGS_H
#define CLI_REPORT_FINDINGS_H

#include "cli/data/merge.h"
#include "cli/report/document.h"

/* Device by device a table of the families' best, then a sentence or two for each family. */
void report_findings(struct document *document, const struct merged *merged);

#endif
