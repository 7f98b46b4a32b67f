/* datasheet.h - what vendors publish of their products. Measured peaks are held against it (tests/gpu/roofs.sh). */
#pragma once

#include "core/device.h"

/* Fill the columns `datasheet...` of a device whose name is in the table; what a sheet does not say stays missing. */
void datasheet_fill(struct device *device);
