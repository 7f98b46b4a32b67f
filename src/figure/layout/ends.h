/* ends.h - the names of curves at their ends, in place of a key. */
#ifndef FIGURE_LAYOUT_ENDS_H
#define FIGURE_LAYOUT_ENDS_H

#include "figure/layout/page.h"

#define ENDS_GAP 0.14 /* beside a label: what a panel gives up, besides the widest label's width */

/* Decide whether all labels have room there, and settle the widths of the plots: page->ends, end_width, plot_width. */
void ends_decide(struct page *page, double width);

/* Put those of a panel. */
void ends_put(struct page *page, int panel);

#endif
