/* datasheet.h - what vendors publish of their products. Measured peaks are held against it (tests/gpu/roofs.sh). */
#ifndef CORE_DATASHEET_H
#define CORE_DATASHEET_H

#include "core/device.h"

/* Fill the columns `datasheet...` of a device whose name is in the table; what a sheet does not say stays missing. */
void datasheet_fill(struct device *device);

#endif
