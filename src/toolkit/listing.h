/* listing.h - compile a point in a worker process: resources of its kernel, and its machine code. */
#pragma once

#include "core/point.h"
#include "family/code/sass.h"
#include "family/occupancy.h"
#include "toolkit/toolkit.h"

/* Compile and disassemble the kernel of point number `at` of `count`, whose architectures are real and not native. nvdisasm starts
 * slowly, so that points are disassembled several at a time: they should be asked for in order. Needs nvdisasm. sass_free
 * afterwards, also on failure. */
int listing_read(struct toolkit *toolkit, const struct point *points, size_t count, size_t at,
                 struct code_needs *needs, struct sass *sass, struct error *error);
