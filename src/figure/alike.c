#include "figure/making.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Curves that are one are drawn once, with one name: nested or shuffled, nobody can tell them apart. */

#define ONE         0.02 /* of a panel's height: closer curves are one */
#define CURVES_MAX  64   /* names of a chart */
#define NAME_LENGTH 30   /* of joined names; a longer list stands in the caption */

struct names {
    const char *label[CURVES_MAX];
    int leader[CURVES_MAX]; /* index of the curve that each is drawn as */
    int count;
};

static struct chart_curve *find_curve(struct chart_panel *panel, const char *label)
{
    for (int c = 0; c < panel->curves; c++)
        if (!strcmp(panel->curve[c].label, label))
            return &panel->curve[c];
    return NULL;
}

/* Are both curves in the same panels, and one wherever both have a point, at two places or more in each panel? */
static bool are_one(struct chart *chart, const char *first, const char *second)
{
    bool both = false;
    for (int p = 0; p < chart->panels; p++) {
        struct chart_panel *panel = &chart->panel[p];
        const struct scale *y = &chart->block[panel->block].y;
        const struct chart_curve *a = find_curve(panel, first), *b = find_curve(panel, second);
        int common = 0;
        if (!a && !b)
            continue;
        if (!a || !b)
            return false;
        for (size_t i = 0, k = 0; i < a->points && k < b->points;) {
            if (a->point[i].x < b->point[k].x) {
                i++;
            } else if (a->point[i].x > b->point[k].x) {
                k++;
            } else {
                common++;
                if (fabs(scale_position(y, a->point[i++].y) - scale_position(y, b->point[k++].y)) > ONE)
                    return false;
            }
        }
        if (common < 2)
            return false;
        both = true;
    }
    return both;
}

static void collect_names(struct chart *chart, struct names *names)
{
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++) {
            const char *label = chart->panel[p].curve[c].label;
            int k = 0;
            while (k < names->count && strcmp(names->label[k], label) != 0)
                k++;
            if (k == names->count && k < CURVES_MAX) {
                names->label[k] = label;
                names->leader[k] = k;
                names->count++;
            }
        }
}

static size_t points_of(struct chart *chart, const char *label)
{
    size_t points = 0;
    for (int p = 0; p < chart->panels; p++) {
        const struct chart_curve *curve = find_curve(&chart->panel[p], label);
        points += curve ? curve->points : 0;
    }
    return points;
}

/* Every curve joins the first one that it is one with, as are all others that joined that one. */
static bool choose_leaders(struct chart *chart, struct names *names)
{
    bool any = false;
    for (int k = 1; k < names->count; k++)
        for (int lead = 0; lead < k && names->leader[k] == k; lead++) {
            bool one = names->leader[lead] == lead;
            for (int m = lead; m < k && one; m++)
                one = names->leader[m] != lead || are_one(chart, names->label[m], names->label[k]);
            if (one) {
                names->leader[k] = lead;
                any = true;
            }
        }
    for (int k = 0; k < names->count; k++) { /* the curve with most points is the one that is drawn */
        int lead = names->leader[k];
        if (lead == k || points_of(chart, names->label[k]) <= points_of(chart, names->label[lead]))
            continue;
        for (int m = 0; m < names->count; m++)
            names->leader[m] = names->leader[m] == lead ? k : names->leader[m];
    }
    return any;
}

/* How far apart the curves are at most: in the unit of the axis, or on a logarithmic one in %. */
static double distance(struct chart *chart, const struct names *names, int lead)
{
    double most = 0;
    for (int p = 0; p < chart->panels; p++)
        for (int a = 0; a < names->count; a++)
            for (int b = 0; b < a; b++) {
                const struct chart_curve *x = find_curve(&chart->panel[p], names->label[a]),
                                         *y = find_curve(&chart->panel[p], names->label[b]);
                bool logarithmic = chart->block[chart->panel[p].block].y.kind != SCALE_LINEAR;
                for (size_t i = 0; x && y && i < x->points; i++)
                    for (size_t k = 0; names->leader[a] == lead && names->leader[b] == lead && k < y->points;
                         k++)
                        if (x->point[i].x == y->point[k].x)
                            most = fmax(most, logarithmic ? 100 * fabs(x->point[i].y / y->point[k].y - 1)
                                                          : fabs(x->point[i].y - y->point[k].y));
            }
    return most;
}

static int compare_points(const void *a, const void *b)
{
    const struct chart_point *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

/* Add the points of a curve at places where the leader has none. */
static void take_points(struct chart_curve *to, const struct chart_curve *from)
{
    size_t had = to->points;
    to->point = memory_resize(to->point, had + from->points, sizeof *to->point);
    for (size_t i = 0; i < from->points; i++) {
        size_t k = 0;
        while (k < had && to->point[k].x != from->point[i].x)
            k++;
        if (k < had)
            to->point[k].throttled = to->point[k].throttled || from->point[i].throttled;
        else
            to->point[to->points++] = from->point[i];
    }
    qsort(to->point, to->points, sizeof *to->point, compare_points);
}

/* "cp_async, bulk, tensor", or "f32 and 4 alike" where the list is long, or "all 8" of all curves. */
static void name_group(const struct names *names, int lead, char *out, size_t size)
{
    struct text all = {0};
    int members = 0;
    for (int k = 0; k < names->count; k++)
        if (names->leader[k] == lead) {
            text_add(&all, "%s%s", members ? ", " : "", names->label[k]);
            members++;
        }
    if (all.length <= NAME_LENGTH)
        snprintf(out, size, "%s", all.data);
    else if (members == names->count)
        snprintf(out, size, "all %d", members);
    else
        snprintf(out, size, "%s and %d alike", names->label[lead], members - 1);
    text_free(&all);
}

static void tell(struct chart *chart, const struct names *names, int lead)
{
    const char *label = chart->block[0].label, *unit = strrchr(label, '(');
    bool linear = chart->block[0].y.kind == SCALE_LINEAR, first = true;
    text_add(&chart->remark, " Drawn as one curve: ");
    for (int k = 0; k < names->count; k++)
        if (names->leader[k] == lead) {
            text_add(&chart->remark, "%s%s", first ? "" : ", ", names->label[k]);
            first = false;
        }
    double apart = distance(chart, names, lead);
    text_add(&chart->remark, "; at equal x they are at most %.2g ", apart);
    if (linear && unit)
        text_add(&chart->remark, "%.*s apart.", (int)strcspn(unit + 1, ")"), unit + 1);
    else
        text_add(&chart->remark, "%s apart.", linear ? "" : "%");
}

void alike_join(struct chart *chart)
{
    struct names names = {.count = 0};
    char group[CURVES_MAX][160];
    if (chart->dots)
        return;
    collect_names(chart, &names);
    if (names.count == 1) {
        chart->single = true;
        text_add(&chart->remark, " The curve is of %s.", names.label[0]);
    }
    if (!choose_leaders(chart, &names))
        return;
    for (int k = 0; k < names.count; k++) {
        int members = 0;
        for (int m = 0; m < names.count; m++)
            members += names.leader[m] == k;
        snprintf(group[k], sizeof group[k], "%s", names.label[k]);
        if (members > 1) {
            tell(chart, &names, k);
            name_group(&names, k, group[k], sizeof group[k]);
        }
    }
    char(*own)[160] = memory_new((size_t)names.count, sizeof *own); /* labels move as curves are dropped */
    for (int k = 0; k < names.count; k++) {
        snprintf(own[k], sizeof own[k], "%s", names.label[k]);
        names.label[k] = own[k];
    }
    for (int p = 0; p < chart->panels; p++) {
        struct chart_panel *panel = &chart->panel[p];
        for (int k = 0; k < names.count; k++) {
            struct chart_curve *lead = find_curve(panel, names.label[names.leader[k]]),
                               *curve = find_curve(panel, names.label[k]);
            if (names.leader[k] == k || !curve || !lead)
                continue;
            take_points(lead, curve);
            free(curve->point);
            size_t at = (size_t)(curve - panel->curve);
            memmove(curve, curve + 1, ((size_t)--panel->curves - at) * sizeof *curve);
        }
        for (int c = 0; c < panel->curves; c++)
            for (int k = 0; k < names.count; k++)
                if (!strcmp(panel->curve[c].label, names.label[k])) {
                    snprintf(panel->curve[c].label, sizeof panel->curve[c].label, "%s", group[k]);
                    break;
                }
    }
    free(own);
}
