#include "figure/layout/page.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Set the widths of plots with `reserve` inches per panel for labels. Returns the smallest width. */
static double narrowest(struct page *m, double width, double reserve)
{
    double least = INFINITY;
    for (int r = 0; r < m->rows; r++) {
        m->plot_width[r] =
            (width - m->left - RIGHT - (m->columns[r] - 1) * BETWEEN) / m->columns[r] - reserve;
        least = fmin(least, m->plot_width[r]);
    }
    return least;
}

static double end_of(const struct page *m, const struct chart_panel *panel, int c, double *y)
{
    const struct chart_curve *curve = &panel->curve[c];
    const struct chart_point *last = &curve->point[curve->points - 1];
    *y = m->plot_height * scale_position(&m->chart->block[panel->block].y, last->y);
    return scale_position(&m->chart->x, last->x);
}

/* Heights of the labels of a panel, near the curves' ends and without overlap. False if there is no room. */
static bool spread_ends(const struct page *m, const struct chart_panel *panel, double *height)
{
    int order[64], count = panel->curves;
    double end[64], least = 1.02 * LAYOUT_POINTS / 72;
    if (count > CHART_CURVES_MAX || count * least > m->plot_height)
        return false;
    for (int c = 0; c < count; c++) {
        if (end_of(m, panel, c, &end[c]) < 0.8)
            return false;
        int k = c;
        for (; k > 0 && end[order[k - 1]] > end[c]; k--)
            order[k] = order[k - 1];
        order[k] = c;
    }
    for (int k = 0; k < count; k++)
        height[order[k]] = end[order[k]];
    for (int round = 0; round < 200; round++) /* push neighbours apart evenly */
        for (int k = 0; k + 1 < count; k++) {
            double missing = least - (height[order[k + 1]] - height[order[k]]);
            if (missing > 0) {
                height[order[k]] -= missing / 2;
                height[order[k + 1]] += missing / 2;
            }
        }
    double sink = fmax(0, (count ? height[order[count - 1]] : 0) - m->plot_height);
    double lift = count ? fmax(0, -height[order[0]]) : 0;
    for (int c = 0; c < count; c++) {
        height[c] += lift - sink;
        if (fabs(height[c] - end[c]) > 0.3 * m->plot_height)
            return false;
    }
    return true;
}

void end_labels_decide(struct page *m, double width)
{
    double height[64];
    int curves = 0;
    m->end_labels = !m->chart->dots && !m->chart->single;
    m->end_width = 0;
    for (int p = 0; p < m->chart->panels && m->end_labels; p++) {
        const struct chart_panel *panel = &m->chart->panel[p];
        m->end_labels = spread_ends(m, panel, height);
        for (int c = 0; c < panel->curves; c++)
            m->end_width = fmax(m->end_width, font_width(m->font, panel->curve[c].label, LAYOUT_POINTS));
        curves = panel->curves > curves ? panel->curves : curves;
    }
    double reserve = m->end_width + END_LABEL_GAP, least = narrowest(m, width, reserve);
    if (m->end_labels && least > 1.3 && reserve < 0.35 * (least + reserve))
        return;
    m->end_labels = false;
    narrowest(m, width, 0);
}

void inside_labels_decide(struct page *m)
{
    size_t curves = 0, done = 0;
    bool all = !m->end_labels && !m->chart->dots && !m->chart->single;
    for (int p = 0; p < m->chart->panels; p++)
        curves += (size_t)m->chart->panel[p].curves;
    m->inside = memory_new(curves + 1, sizeof *m->inside);
    for (int p = 0; p < m->chart->panels && all; p++) {
        all = inside_labels_place(m->chart, p, m->font, m->plot_width[m->row[p]], m->plot_height, m->name,
                                  m->names, &m->inside[done]);
        done += (size_t)m->chart->panel[p].curves;
    }
    if (all)
        return;
    free(m->inside);
    m->inside = NULL;
}

void inside_labels_put(struct page *m)
{
    size_t done = 0;
    for (int p = 0; p < m->chart->panels && m->inside; p++)
        for (int c = 0; c < m->chart->panel[p].curves; c++, done++)
            page_text(m, m->chart->panel[p].curve[c].label, m->layout->panel[p].left + m->inside[done].x,
                      m->layout->panel[p].bottom + m->inside[done].y, -1, TEXT_END,
                      m->chart->panel[p].curve[c].style.colour);
}

void end_labels_put(struct page *m, int p)
{
    const struct chart_panel *panel = &m->chart->panel[p];
    const struct layout_panel *at = &m->layout->panel[p];
    double height[64];
    if (!m->end_labels || !spread_ends(m, panel, height))
        return;
    for (int c = 0; c < panel->curves; c++) {
        const struct chart_curve *curve = &panel->curve[c];
        double y, x = at->left + (at->right - at->left) * end_of(m, panel, c, &y);
        double label = at->right + 0.1;
        if (fabs(y - height[c]) > 0.02 || label - x > 0.16)
            page_stroke(m, x + 0.03, at->bottom + y, label - 0.015, at->bottom + height[c],
                        (struct style){curve->style.colour, 0, 0}, true);
        page_text(m, curve->label, label, at->bottom + height[c], -1, TEXT_END, curve->style.colour);
    }
}
