/* key.h - the key above a figure: curves without end labels, and roofs whose names have no room in the panel. */
#ifndef FIGURE_LAYOUT_KEY_H
#define FIGURE_LAYOUT_KEY_H

#include "figure/layout/page.h"

/* Place the key of the curves, or with `lines` that of the roofs, below `top`. Returns its height. */
double key_put(struct page *page, bool lines, double width, double top);

#endif
