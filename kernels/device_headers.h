/* device_headers.h - the headers that device code may include, embedded as texts. */
#pragma once

#include "family/code/source.h"

enum { DEVICE_HEADERS = 23 };
extern const struct device_header device_headers[DEVICE_HEADERS + 1]; /* the last has no name */
