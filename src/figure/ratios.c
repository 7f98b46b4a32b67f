#include "figure/making.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The rate of the first device at the same x of the same curve. */
static const struct chart_point *counterpart(const struct chart_panel *first, const struct chart_curve *curve,
                                             double x)
{
    for (int c = 0; c < first->curves; c++)
        for (size_t i = 0; i < first->curve[c].points; i++)
            if (!strcmp(first->curve[c].label, curve->label) && first->curve[c].point[i].x == x)
                return &first->curve[c].point[i];
    return NULL;
}

/* Relative distance of an end of the time's interval from the time; the rate's is the same to first order. */
static double longer(const struct frame *frame, size_t row, const char *end)
{
    return fabs(making_number(frame, row, end) / making_number(frame, row, COLUMN(time_median)) - 1);
}

/* Ratios of rates, not of shares. The interval assumes independent times. */
static void fill_ratio(const struct making *making, const struct chart_panel *first,
                       const struct chart_curve *from, struct chart_curve *curve)
{
    const struct frame *frame = &making->merged->all.results;
    const char *rate = making->figure->y;
    *curve = *from;
    curve->points = 0;
    curve->point = memory_new(from->points, sizeof *curve->point);
    for (size_t i = 0; i < from->points; i++) {
        const struct chart_point *b = &from->point[i], *a = counterpart(first, from, b->x);
        if (!a)
            continue;
        double ratio = making_number(frame, b->row, rate) / making_number(frame, a->row, rate);
        /* Of the times alone: the range of a roof is in shares, not in ratios of rates. */
        double up = hypot(longer(frame, b->row, COLUMN(time_ci_low)),
                          longer(frame, a->row, COLUMN(time_ci_high))),
               down = hypot(longer(frame, b->row, COLUMN(time_ci_high)),
                            longer(frame, a->row, COLUMN(time_ci_low)));
        if (isfinite(ratio))
            curve->point[curve->points++] =
                (struct chart_point){b->x, ratio,  ratio * (1 - down),          ratio * (1 + up), NAN, NAN,
                                     NAN,  b->row, a->throttled || b->throttled};
    }
}

static void name_ratio(const char *over, const char *under, char *out, size_t size)
{
    struct text title = {0};
    text_add(&title, "%.75s / %.75s", over, under);
    snprintf(out, size, "%s", title.data);
    text_free(&title);
}

void ratios_add(const struct making *making, struct chart *chart)
{
    int above = chart->panels;
    bool any = false;
    for (int p = 0; p < above; p++) {
        if (p % making->groups == 0)
            continue;
        struct chart_panel *panel = making_add_panel(chart);
        const struct chart_panel *first =
            &chart->panel[p - p % making->groups]; /* after adding, which may move panels */
        name_ratio(chart->panel[p].title, first->title, panel->title, sizeof panel->title);
        name_ratio(chart->panel[p].brief, first->brief, panel->brief, sizeof panel->brief);
        panel->block = 1;
        panel->predicted = chart->panel[p].predicted || first->predicted;
        panel->breaks = !any;
        for (int c = 0; c < chart->panel[p].curves; c++) {
            struct chart_curve *curve = making_add_curve(panel);
            fill_ratio(making, first, &chart->panel[p].curve[c], curve);
            if (!curve->points) {
                free(curve->point);
                panel->curves--;
            }
        }
        if (!panel->curves) {
            free(panel->curve);
            chart->panels--;
            continue;
        }
        making_add_line(panel, 1);
        any = true;
    }
    if (any) {
        chart->blocks = 2;
        snprintf(chart->block[1].label, sizeof chart->block[1].label, "Ratio (1)");
    }
}
