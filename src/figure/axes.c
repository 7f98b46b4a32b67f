#include "figure/making.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "table/heads.h"
#include "table/units.h"

/* ---- What is y called, and in which unit? ---- */

static double top_of(const struct making *making)
{
    double top = 0;
    for (int s = 0; s < making->data->count; s++) {
        const struct view *view = &making->data->series[s].view;
        for (size_t i = 0; i < view->rows; i++)
            top = fmax(top, making_number(&making->merged->all.results, view->row[i], making->y));
    }
    return top;
}

/* A label of the figure's own says the unit; unsaid, the largest value chooses. NULL: numbers stay as they are. */
static const struct unit *unit_of(const char *of, const char *label, double top)
{
    if (!label)
        return units_choose(of, top);
    const char *last = strrchr(label, '(');
    const struct unit *unit = last ? units_find(last + 1, strcspn(last + 1, ")")) : NULL;
    return unit && !strcmp(unit->of, of) ? unit : NULL;
}

void axes_choose_unit(struct making *making, char *label, size_t size)
{
    const char *own = making->normalise ? NULL : making->figure->y_label;
    const struct frame *frame = &making->merged->all.results;
    const struct column *column = &frame->column[frame_find(frame, making->y)];
    making->scale = 1;
    if (making->figure->names) { /* y is no quantity */
        snprintf(label, size, "%s", making->figure->y_label ? making->figure->y_label : "");
        return;
    }
    struct head head = heads_of(column, making->y, NAN);
    bool share = !strncmp(column->name, "fraction_", strlen("fraction_"));
    const struct unit *unit = unit_of(column->unit, own, top_of(making));
    const char *name = share ? "%" : unit ? unit->symbol : *column->unit ? column->unit : "1";
    making->scale = share ? 0.01 : unit ? unit->scale : 1;
    if (own)
        snprintf(label, size, "%s", own);
    else
        snprintf(label, size, "%s (%s)", head.name, name);
}

/* ---- Scales ---- */

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static enum scale_kind scale_named(const char *word)
{
    int kind = 0;
    while (strcmp(scale_words[kind], word) != 0)
        kind++;
    return (enum scale_kind)kind;
}

/* The words that stand at the places 0, 1, 2 ... of an axis. */
static void name_places(const struct making *making, const struct chart *chart, bool along_x,
                        const char *column, struct scale *scale)
{
    const struct frame *frame = &making->merged->all.results;
    enum { NAMES_MAX = 256 };
    const char *name[NAMES_MAX];
    int count = 0;
    for (int i = 0; i < NAMES_MAX; i++)
        name[i] = "";
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++) {
                const struct chart_point *point = &chart->panel[p].curve[c].point[i];
                int at = (int)lround(along_x ? point->x : point->y);
                if (at < 0 || at >= NAMES_MAX)
                    continue;
                name[at] = frame_find_text(frame, point->row, column);
                count = at + 1 > count ? at + 1 : count;
            }
    scale_name(scale, name, count);
}

void axes_fit_x(const struct making *making, struct chart *chart)
{
    const struct frame *frame = &making->merged->all.results;
    const char *place = making->figure->place ? making->figure->place : making->figure->x;
    size_t count = 0, kept = 0;
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++)
            count += chart->panel[p].curve[c].points;
    chart->x_value = memory_new(count, sizeof *chart->x_value);
    count = 0;
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++)
                chart->x_value[count++] = chart->panel[p].curve[c].point[i].x;
    qsort(chart->x_value, count, sizeof *chart->x_value, compare_doubles);
    for (size_t i = 0; i < count; i++)
        if (!kept || chart->x_value[i] != chart->x_value[kept - 1])
            chart->x_value[kept++] = chart->x_value[i];
    chart->x_values = kept;
    chart->x.kind =
        making->figure->x_scale ? scale_named(making->figure->x_scale) : scale_choose(chart->x_value, kept);
    const char *of =
        making->figure->place ? making->figure->x : place; /* a derived place has no unit of its own */
    chart->x.bytes = !strcmp(frame->column[frame_find(frame, of)].unit, "bytes") &&
                     (chart->x.kind == SCALE_LOG2 || chart->x_value[0] >= 1024);
    chart->x.low = chart->x_value[0];
    chart->x.high = chart->x_value[kept - 1];
    for (int p = 0; p < chart->panels && chart->across; p++)
        for (int c = 0; c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++) {
                chart->x.low = fmin(chart->x.low, chart->panel[p].curve[c].point[i].low);
                chart->x.high = fmax(chart->x.high, chart->panel[p].curve[c].point[i].high);
            }
    scale_widen(&chart->x, 0.03, 0.03);
    if (making->figure->x_names)
        name_places(making, chart, true, making->figure->x_names, &chart->x);
}

/* Do most of the points lie so low that a linear axis hides them? */
static bool hides_most(const struct chart *chart, int block, double top)
{
    size_t low = 0, count = 0;
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; chart->panel[p].block == block && c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++, count++) {
                if (!(chart->panel[p].curve[c].point[i].y > 0))
                    return false;
                low += chart->panel[p].curve[c].point[i].y < 0.05 * top;
            }
    return 2 * low > count;
}

#define LONG_BAR 0.5  /* of what the points of a block span */
#define FEW_BARS 0.05 /* of its points */

/* The length from which on a bar does not widen the axis: where a few are so long that they would press all points
 * flat. `span`: of the points. */
static double longest_bar(const struct chart *chart, int b, double span)
{
    size_t points = 0, longer = 0;
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; chart->panel[p].block == b && c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++, points++) {
                const struct chart_point *point = &chart->panel[p].curve[c].point[i];
                longer += point->high - point->low > LONG_BAR * span;
            }
    if (chart->across || !(span > 0) || !longer || (double)longer > FEW_BARS * (double)points)
        return INFINITY;
    return LONG_BAR * span;
}

/* Bars that would leave the panel say nothing: they are not drawn, and the caption counts them. */
static size_t drop_long_bars(struct chart *chart, int b)
{
    const struct scale *y = &chart->block[b].y;
    size_t cut = 0;
    for (int p = 0; p < chart->panels && !chart->across; p++)
        for (int c = 0; chart->panel[p].block == b && c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++) {
                struct chart_point *point = &chart->panel[p].curve[c].point[i];
                if (!(point->low < y->low || point->high > y->high))
                    continue;
                point->low = point->high = NAN;
                cut++;
            }
    return cut;
}

/* The ends of a block's lines and points and, with `bars`, of its bars up to that length. */
static void find_ends(const struct chart *chart, int b, double bars, double *low, double *high)
{
    for (int p = 0; p < chart->panels; p++) {
        const struct chart_panel *panel = &chart->panel[p];
        if (panel->block != b)
            continue;
        for (int l = 0; l < panel->lines; l++) {
            *low = fmin(*low, panel->line[l].y);
            *high = fmax(*high, panel->line[l].y);
        }
        for (int c = 0; c < panel->curves; c++)
            for (size_t i = 0; i < panel->curve[c].points; i++) {
                const struct chart_point *point = &panel->curve[c].point[i];
                bool counts = !chart->across && point->high - point->low <= bars;
                *low = fmin(*low, counts ? fmin(point->y, point->low) : point->y);
                *high = fmax(*high, counts ? fmax(point->y, point->high) : point->y);
            }
    }
}

#define SMALL_EFFECT 0.15 /* of the highest point: smaller effects vanish on an axis from zero */
#define ROOF_AWAY    1.0  /* of what the points span: a roof farther away does not widen such an axis */

/* Fit a linear axis to points that differ little, and drop the lines that are far from them. */
static void cut_axis(struct chart *chart, int b, double bars, double *low, double *high)
{
    struct chart all = *chart;
    double from = INFINITY, to = -INFINITY;
    all.panel = memory_new((size_t)chart->panels + 1, sizeof *all.panel);
    for (int p = 0; p < chart->panels; p++) {
        all.panel[p] = chart->panel[p];
        all.panel[p].lines = 0;
    }
    find_ends(&all, b, bars, &from, &to);
    free(all.panel);
    if (!(from > 0 && to - from < SMALL_EFFECT * to))
        return;
    double away = ROOF_AWAY * (to - from);
    for (int p = 0; p < chart->panels; p++) {
        struct chart_panel *panel = &chart->panel[p];
        int kept = 0;
        for (int l = 0; panel->block == b && l < panel->lines; l++)
            if (panel->line[l].y >= from - away && panel->line[l].y <= to + away)
                panel->line[kept++] = panel->line[l];
        if (panel->block == b)
            panel->lines = kept;
    }
    chart->block[b].cut = true;
    *low = INFINITY;
    *high = -INFINITY;
    find_ends(chart, b, bars, low, high);
}

void axes_fit_y(const struct making *making, int b, struct chart *chart)
{
    struct chart_block *block = &chart->block[b];
    const bool is_ratio = making->normalise && b > 0;
    const char *kind = is_ratio ? "linear" : making->figure->y_scale;
    const struct frame *frame = &making->merged->all.results;
    bool rate = !is_ratio && frame->column[frame_find(frame, making->y)].role == ROLE_RATE;
    double low = INFINITY, high = -INFINITY;
    find_ends(chart, b, -1, &low, &high);
    double bars = longest_bar(chart, b, high - low);
    find_ends(chart, b, bars, &low, &high);
    if (!is_ratio && making->figure->names) {
        name_places(making, chart, false, making->figure->names, &block->y);
        return;
    }
    block->y.kind = kind                                            ? scale_named(kind)
                    : rate && hides_most(chart, b, high) && low > 0 ? SCALE_LOG10
                                                                    : SCALE_LINEAR;
    if (rate && block->y.kind == SCALE_LINEAR && !chart->across && chart->panels)
        cut_axis(chart, b, bars, &low, &high);
    block->from_zero = !block->cut && rate && block->y.kind == SCALE_LINEAR && low >= 0;
    block->y.low = block->from_zero ? 0 : low;
    block->y.high = high;
    if (!block->from_zero)
        scale_widen(&block->y, 0.06, 0.06);
    else
        block->y.high *= 1.04;
    chart->cut_bars += drop_long_bars(chart, b);
}
