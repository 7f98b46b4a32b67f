/* listing.h - compile a point in a worker process: resources of its kernel, and its machine code. */
#pragma once

#include "core/point.h"
#include "family/code/sass.h"
#include "family/occupancy.h"
#include "toolkit/toolkit.h"

/* Compile and disassemble the kernel of a point whose architecture is real and not native. Needs nvdisasm. sass_free
 * afterwards, also on failure. */
int listing_read(struct toolkit *toolkit, const struct point *point, struct code_needs *needs,
                 struct sass *sass, struct error *error);
