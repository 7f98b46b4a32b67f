/* listing.h - a point's compiled code, asked of a worker process: what it needs, and its machine code. */
#ifndef TOOLKIT_LISTING_H
#define TOOLKIT_LISTING_H

#include "core/point.h"
#include "family/code/sass.h"
#include "family/occupancy.h"
#include "toolkit/toolkit.h"

/* The kernel that the point runs, whose architecture is real and not native. Where `sass` is NULL, no nvdisasm is needed;
 * else sass_free it, whether this failed or not. */
int listing_read(struct toolkit *toolkit, const struct point *point, struct code_needs *needs,
                 struct sass *sass, struct error *error);

/* The name of that kernel. */
const char *listing_entry(const struct point *point);

#endif
