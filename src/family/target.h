/* target.h - from a device's properties to the target that families see. */
#pragma once

#include "core/device.h"
#include "family/family.h"

/* Unknown properties, -1 in `device`, become 0. */
struct target target_of_device(const struct device *device);
