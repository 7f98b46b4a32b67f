/* target.h - a device as the families see it. */
#ifndef FAMILY_TARGET_H
#define FAMILY_TARGET_H

#include "core/device.h"
#include "family/family.h"

/* What is not known of the device (-1 there) is 0 here: nothing is ruled out for its sake. */
struct target target_of_device(const struct device *device);

#endif
