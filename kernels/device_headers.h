/* device_headers.h - the headers that device code may include, embedded as texts. */
#ifndef KERNELS_DEVICE_HEADERS_H
#define KERNELS_DEVICE_HEADERS_H

#include "family/code/macros.h"

enum { DEVICE_HEADERS = 7 };
extern const struct device_header device_headers[DEVICE_HEADERS + 1]; /* the last has no name */

#endif
