/* time.h - where the time of a run went, by phase, rank and family. */
#ifndef REPORT_TIME_H
#define REPORT_TIME_H

#include "output/document.h"
#include "store/store.h"

/* One file's. -1 when it has no timeline. */
int report_time(struct document *document, const struct dataset *dataset, const char *path);

#endif
