#include "figure/nest.h"

#include <math.h>

#define NEAR 0.012 /* of a panel's height: less than a mark */
#define STEP 0.9   /* of a line's width, from one curve to the next below */
#define MOST 3.2   /* the widest beyond the first, of however many */

/* Do they lie on one another at all of the places that both have, but for one in five, and at least at two? */
static bool coincide(const struct scale *y, const struct chart_curve *a, const struct chart_curve *b)
{
    size_t both = 0, near = 0;
    for (size_t i = 0, k = 0; i < a->points && k < b->points;) {
        if (a->point[i].x < b->point[k].x) {
            i++;
        } else if (a->point[i].x > b->point[k].x) {
            k++;
        } else {
            both++;
            near += fabs(scale_place(y, a->point[i++].y) - scale_place(y, b->point[k++].y)) <= NEAR;
        }
    }
    return both > 1 && 5 * near >= 4 * both;
}

/* How many curves are to be seen over each; later ones are drawn over earlier ones. Returns the largest. */
static int depths_of(const struct chart *chart, const struct chart_panel *panel, int *depth)
{
    const struct scale *y = &chart->block[panel->block].y;
    int deepest = 0;
    for (int c = panel->curves; c-- > 0;) {
        depth[c] = 0;
        for (int over = c + 1; over < panel->curves; over++)
            if (depth[over] >= depth[c] && coincide(y, &panel->curve[c], &panel->curve[over]))
                depth[c] = depth[over] + 1;
        deepest = depth[c] > deepest ? depth[c] : deepest;
    }
    return deepest;
}

void nest_curves(struct chart *chart)
{
    for (int p = 0; p < chart->panels; p++) {
        struct chart_panel *panel = &chart->panel[p];
        bool curves = !chart->dots && panel->curves <= CHART_CURVES_MAX;
        int depth[CHART_CURVES_MAX] = {0}, deepest = curves ? depths_of(chart, panel, depth) : 0;
        for (int c = 0; c < panel->curves; c++)
            panel->curve[c].wide = deepest ? 1 + depth[c] * fmin(STEP, MOST / deepest) : 1;
        chart->nested = chart->nested || deepest;
    }
}
