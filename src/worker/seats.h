/* seats.h - whether this worker has, or can get, the devices of a point of several. */
#pragma once

#include "core/device.h"
#include "family/family.h"
#include "protocol/config.h"

/* NULL, or why not; that may be written to `reason`. `device`: this worker's, or NULL. What only a back end knows, such as how many
 * devices it sees, it says itself. */
const char *seats_refuse(const struct place *place, const struct device *device, const struct point *point,
                         const struct setup *setup, char *reason, size_t size);
