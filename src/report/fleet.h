/* fleet.h - a report on the devices of a file: who is slow, and where the variance comes from. */
#ifndef REPORT_FLEET_H
#define REPORT_FLEET_H

#include "output/document.h"
#include "store/store.h"

/* Print it; returns how many devices are outliers. */
size_t report_fleet(struct document *document, const struct dataset *dataset, double threshold);

#endif
