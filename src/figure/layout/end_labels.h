/* end_labels.h - names of curves at their right ends, instead of a key. */
#ifndef FIGURE_LAYOUT_END_LABELS_H
#define FIGURE_LAYOUT_END_LABELS_H

#include "figure/layout/page.h"

#define END_LABEL_GAP 0.14 /* inches that a panel gives up beside the widest label */

/* Decide whether all labels fit, and set page->end_labels, end_width and plot_width. */
void end_labels_decide(struct page *page, double width);

/* Place the labels of a panel. */
void end_labels_put(struct page *page, int panel);

#endif
