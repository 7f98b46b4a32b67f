#include "kernels/device_headers.h"

#include <stddef.h>

extern const char fill_source[], device_cuh_source[], element_cuh_source[],
    hint_cuh_source[]; /* cmake/Kernels.cmake */

const struct device_header device_headers[DEVICE_HEADERS + 1] = {
    {"family/fill.h", fill_source},
    {"device.cuh", device_cuh_source},
    {"element.cuh", element_cuh_source},
    {"hint.cuh", hint_cuh_source},
    {NULL, NULL},
};
