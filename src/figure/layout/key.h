/* key.h - the key above a figure: curves whose names do not stand at their ends, and roofs whose names found no room. */
#ifndef FIGURE_LAYOUT_KEY_H
#define FIGURE_LAYOUT_KEY_H

#include "figure/layout/page.h"

/* Put the curves' key, or, `lines`, the roofs', with `top` its upper edge. Returns the height that it takes. */
double key_put(struct page *page, bool lines, double width, double top);

#endif
