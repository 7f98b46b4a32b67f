#include "figure/chart.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "figure/making.h"
#include "figure/roofs.h"
#include "figure/tables/rows.h"
#include "table/units.h"
#include "table/throttled.h"

/* ---- Panels ---- */

static void fill_curve(const struct making *making, int s, struct chart_curve *curve)
{
    const struct frame *frame = &making->merged->all.results;
    const struct view *view = &making->data->series[s].view;
    const char *place = making->figure->place ? making->figure->place : making->figure->x;
    enum column_role role = frame->column[frame_find(frame, making->y)].role;
    bool timed = role == ROLE_TIME || role == ROLE_RATE;
    split_name_curve(making, s, curve);
    curve->view = view;
    curve->line = !strcmp(frame_find_text(frame, view->row[0], COLUMN(lined)), "yes");
    curve->point = memory_new(view->rows, sizeof *curve->point);
    for (size_t i = 0; i < view->rows; i++) {
        struct chart_point point = {.x = making_number(frame, view->row[i], place),
                                    .y = making_number(frame, view->row[i], making->y),
                                    .row = view->row[i]};
        double ends[2];
        if (!isfinite(point.x) || !isfinite(point.y))
            continue;
        point.throttled = timed && throttled_row(frame, view->row[i]);
        making_interval(making, view->row[i], point.y, ends);
        point.low = ends[0] / (making->across ? 1 : making->scale);
        point.high = ends[1] / (making->across ? 1 : making->scale);
        point.value =
            *making->figure->columns ? making_number(frame, view->row[i], making->figure->columns[0]) : NAN;
        point.shown = *making->figure->columns && making->figure->columns[1]
                          ? making_number(frame, view->row[i], making->figure->columns[1])
                          : point.value;
        point.spread = *making->figure->columns && making->figure->columns[1] && making->figure->columns[2]
                           ? making_number(frame, view->row[i], making->figure->columns[2])
                           : NAN;
        point.y /= making->scale;
        curve->point[curve->points++] = point;
    }
}

static void name_line(struct chart_line *line, const char *label, const char *brief, bool named)
{
    snprintf(line->label, sizeof line->label, "%s", label);
    snprintf(line->brief, sizeof line->brief, "%s", brief);
    line->named = named;
}

/* "DRAM read 4170 GB/s", or "4170 GB/s" if room is short: the caption names the roof. */
static void add_roofs(const struct making *making, const struct figure_roof *roof, int roofs, bool flop,
                      struct chart_panel *panel)
{
    for (int r = 0; r < roofs; r++) {
        struct text name = {0};
        if (roof_is_flop(roof[r].kind) != flop)
            continue;
        roof_describe(&roof[r], &name);
        name_line(making_add_line(panel, roof[r].rate / making->scale), name.data,
                  name.data + strlen(roof_name(roof[r].kind)) + 1, false);
        text_free(&name);
    }
}

/* "100 measured roof", or "mean geometric mean": a column with one value in the panel, which is added to the name. */
static void add_own_line(const struct making *making, const char *line, const struct series *series,
                         struct chart_panel *panel)
{
    char *rest, column[128];
    struct text name = {0};
    double y = strtod(line, &rest); /* in the unit of the axis */
    size_t length = strcspn(line, " \t");
    bool own = rest == line;
    if (own) {
        snprintf(column, sizeof column, "%.*s", (int)length, line);
        y = making_number(&making->merged->all.results, series->view.row[0], column) / making->scale;
        rest = (char *)line + length;
    }
    rest += strspn(rest, " \t");
    text_add(&name, "%s", rest);
    if (own) {
        const struct frame *results = &making->merged->all.results;
        const char *of = results->column[frame_find(results, making->y)].unit; /* the line's, too */
        bool rate = !strcmp(of, "bytes/s") || !strcmp(of, "flop/s");
        text_add(&name, " %.4g%s%s", y, rate ? " " : "", rate ? units_choose(of, making->scale)->symbol : "");
    }
    if (isfinite(y))
        name_line(making_add_line(panel, y), name.data ? name.data : "", rest, true);
    text_free(&name);
}

/* Which roofs of its points a figure shows: "byte", "flop" or "none". */
static const char *roofs_of(const struct making *making)
{
    return making->figure->roof                    ? making->figure->roof
           : !strcmp(making->y, COLUMN(bandwidth)) ? "byte"
           : !strcmp(making->y, COLUMN(flop_rate)) ? "flop"
                                                   : "none";
}

static void add_lines(const struct making *making, const struct figure_roof *roof, int roofs,
                      const struct series *series, struct chart_panel *panel)
{
    const char *kind = roofs_of(making);
    if (making->normalise) {
        name_line(making_add_line(panel, 100), "measured roof", "roof", true);
        return;
    }
    for (int i = 0; i < FIGURE_LINES_MAX && making->figure->line[i]; i++)
        add_own_line(making, making->figure->line[i], series, panel);
    if (strcmp(kind, "none") != 0)
        add_roofs(making, roof, roofs, !strcmp(kind, "flop"), panel);
}

/* A device's name without its vendor; `brief`: its first word and the part in parentheses. */
static void name_device(const struct merge_group *group, bool brief, char *out, size_t size)
{
    const char *name = !strncmp(group->label, "NVIDIA ", 7) ? group->label + 7 : group->label;
    const char *rest = strstr(name, " (");
    snprintf(out, size, "%s", name);
    if (brief)
        snprintf(out, size, "%.*s%s", (int)strcspn(name, " "), name, rest ? rest : "");
}

/* Are the brief names of all devices different? */
static bool are_brief_names_enough(const struct merged *merged)
{
    char a[160], b[160];
    for (int i = 0; i < merged->groups; i++)
        for (int k = 0; k < i; k++) {
            name_device(&merged->group[i], true, a, sizeof a);
            name_device(&merged->group[k], true, b, sizeof b);
            if (!strcmp(a, b))
                return false;
        }
    return true;
}

/* The panel's value of the dividing axis, and the device. */
static void name_panel(const struct making *making, const struct series *series, bool brief, char *out,
                       size_t size)
{
    struct text title = {0};
    char device[160];
    name_device(&making->merged->group[series->group], brief && are_brief_names_enough(making->merged),
                device, sizeof device);
    if (making->split >= 0)
        split_name_value(making->merged, &series->view, making->split, &title);
    if (making->merged->groups > 1 && making->names_devices)
        text_add(&title, "%s%s", title.length ? ", " : "", device);
    snprintf(out, size, "%s", title.length ? title.data : "");
    text_free(&title);
}

static void make_panel(const struct making *making, int part, int group, struct chart *chart)
{
    struct chart_panel *panel = NULL;
    struct figure_roof *roof = NULL;
    const struct series *last = NULL;
    int roofs = 0;
    for (int s = 0; s < making->data->count; s++) {
        const struct series *series = &making->data->series[s];
        if (making->part[s] != part || making->group_index[series->group] != group)
            continue;
        if (!panel) {
            panel = making_add_panel(chart);
            panel->predicted = making->merged->group[series->group].predicted;
            name_panel(making, series, false, panel->title, sizeof panel->title);
            name_panel(making, series, true, panel->brief, sizeof panel->brief);
        }
        struct chart_curve *curve = making_add_curve(panel);
        fill_curve(making, s, curve);
        if (!curve->points) {
            free(curve->point);
            panel->curves--;
            continue;
        }
        last = series;
        roofs_add(making->merged, series, &roof, &roofs);
    }
    if (panel && last) {
        add_lines(making, roof, roofs, last, panel);
        rules_add(making, part, group, last, panel);
    } else if (panel) {
        free(panel->curve);
        chart->panels--;
    }
    free(roof);
}

/* Are there measured curves, all solid and filled? Then predicted curves are recognised by being dashed and hollow. */
static bool is_measured_plain(const struct chart *chart)
{
    bool measured = false;
    for (int p = 0; p < chart->panels; p++) {
        measured = measured || !chart->panel[p].predicted;
        for (int c = 0; !chart->panel[p].predicted && c < chart->panel[p].curves; c++)
            if (!chart->panel[p].curve[c].line && !style_is_plain(chart->panel[p].curve[c].style))
                return false;
    }
    return measured;
}

/* Otherwise predicted curves get a style and a name of their own. */
static void name_predictions(struct chart *chart)
{
    for (int p = 0; p < chart->panels && !chart->areas; p++)
        for (int c = 0; chart->panel[p].predicted && c < chart->panel[p].curves; c++) {
            struct chart_curve *curve = &chart->panel[p].curve[c];
            size_t length = strlen(curve->label);
            if (!curve->line)
                snprintf(curve->label + length, sizeof curve->label - length, " (predicted)");
        }
}

static void hollow_predictions(struct chart *chart)
{
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; chart->panel[p].predicted && c < chart->panel[p].curves; c++)
            if (!chart->panel[p].curve[c].line)
                chart->panel[p].curve[c].style = style_hollow(chart->panel[p].curve[c].style);
}

/* Equal curves have the same style in all panels, different curves differ. `predicted`: assigns styles of predictions. */
static void assign_styles(struct chart *chart, void (*predicted)(struct style *, int))
{
    struct chart_curve **known = memory_new(1, sizeof *known);
    struct style *style = memory_new(1, sizeof *style);
    int count = 0, lines = 0;
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++) {
            struct chart_curve *curve = &chart->panel[p].curve[c];
            int k = 0;
            while (k < count && strcmp(known[k]->label, curve->label) != 0)
                k++;
            if (k == count) {
                known = memory_resize(known, (size_t)count + 1, sizeof *known);
                style = memory_resize(style, (size_t)count + 1, sizeof *style);
                known[count] = curve;
                style[count] = curve->style;
                (chart->areas                ? style_make_colour_unique
                 : chart->panel[p].predicted ? predicted
                                             : style_make_unique)(style, count);
                if (curve->line) /* without marks: dashes distinguish lines in grey print */
                    style[count].dash = lines++ % STYLE_DASHES;
                count++;
            }
            curve->style = style[k];
        }
    free(known);
    free(style);
}

/* ---- Curves that coincide ---- */

#define NEAR       0.012 /* of a panel's height: less than a mark */
#define WIDEN_STEP 0.9   /* line widths, from one curve to the next below */
#define WIDEN_MAX  3.2   /* line widths that the lowest curve gains at most */

/* Do two curves coincide at four of five common places, and at two or more? */
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
            near += fabs(scale_position(y, a->point[i++].y) - scale_position(y, b->point[k++].y)) <= NEAR;
        }
    }
    return both > 1 && 5 * near >= 4 * both;
}

/* The number of coinciding curves above each curve; later curves are drawn above earlier ones. Returns the largest. */
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

/* Curves below others that coincide are drawn wider, so that all are visible. */
static void widen_coinciding_curves(struct chart *chart)
{
    for (int p = 0; p < chart->panels; p++) {
        struct chart_panel *panel = &chart->panel[p];
        bool curves = !chart->dots && panel->curves <= CHART_CURVES_MAX;
        int depth[CHART_CURVES_MAX] = {0}, deepest = curves ? depths_of(chart, panel, depth) : 0;
        for (int c = 0; c < panel->curves; c++)
            panel->curve[c].wide = deepest ? 1 + depth[c] * fmin(WIDEN_STEP, WIDEN_MAX / deepest) : 1;
        chart->nested = chart->nested || deepest;
    }
}

#define REACH_MIN 0.1

static void set_reach(struct chart *chart)
{
    chart->reach = REACH_MIN;
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++)
                if (chart->panel[p].curve[c].point[i].value > 0)
                    chart->reach = fmax(chart->reach, fabs(log(chart->panel[p].curve[c].point[i].value)));
}

/* ---- The chart ---- */

static void count_groups(struct making *making)
{
    for (int g = 0; g < making->merged->groups; g++) {
        bool used = false;
        for (int s = 0; s < making->data->count; s++)
            used = used || making->data->series[s].group == g;
        making->group_index[g] = used ? making->groups++ : -1;
    }
}

static bool is_rate_of_roof(const char *y)
{
    return !strcmp(y, COLUMN(bandwidth)) || !strcmp(y, COLUMN(flop_rate));
}

int chart_build(const struct figure *figure, const struct merged *merged, const struct figure_data *data,
                const struct style_slots *slots, const struct chart_options *options, struct chart *chart,
                struct error *why)
{
    struct making making = {.figure = figure, .merged = merged, .data = data, .slots = slots, .y = figure->y};
    *chart = (struct chart){.blocks = 1, .dots = figure->draw && strcmp(figure->draw, "curves") != 0};
    chart->cells = figure->draw && !strcmp(figure->draw, "cells");
    chart->areas = figure->draw && !strcmp(figure->draw, "areas");
    chart->named = figure->names && !figure->series[1] && !strcmp(figure->names, figure->series[0]);
    chart->across = chart->cells || chart->areas || (figure->draw && !strcmp(figure->draw, "across"));
    making.across = chart->across;
    making.normalise = options->normalise && is_rate_of_roof(figure->y);
    if (making.normalise)
        making.y = COLUMN(fraction_peak);
    chart->shares = making_is_share(&making);
    chart->roofs = chart->shares || strcmp(roofs_of(&making), "none") != 0;
    if (frame_find(&merged->all.results, making.y) < 0)
        return error_set(why, ERROR_USAGE, "no file has the column %s", making.y), 0;
    making.part = memory_new((size_t)data->count, sizeof *making.part);
    making.group_index = memory_new((size_t)merged->groups + 1, sizeof *making.group_index);
    count_groups(&making);
    making.names_devices = !figure->table || making.groups > 1;
    split_choose(&making, chart->dots);
    axes_choose_unit(&making, chart->block[0].label, sizeof chart->block[0].label);
    bool own = figure->scales && !strcmp(figure->scales, "own") && making.parts <= CHART_BLOCKS_MAX;
    for (int part = 0; part < making.parts; part++)
        for (int group = 0, first = chart->panels; group < making.groups; group++) {
            int before = chart->panels;
            make_panel(&making, part, group, chart);
            if (chart->panels == before)
                continue;
            chart->panel[before].breaks = (own || making.groups > 1) && before == first && before > 0;
            if (own && part > 0) {
                chart->blocks = part + 1;
                chart->panel[before].block = part;
                chart->block[part] = chart->block[0];
            }
        }
    assert(chart->blocks <= CHART_BLOCKS_MAX);
    if (making.normalise && !own && making.groups > 1 && chart->panels == making.parts * making.groups)
        ratios_add(&making, chart);
    if (chart->panels) {
        if (is_measured_plain(chart)) {
            assign_styles(chart, style_make_unique);
            hollow_predictions(chart);
        } else {
            name_predictions(chart);
            assign_styles(chart, style_make_predicted);
        }
        axes_fit_x(&making, chart);
        for (int b = 0; b < chart->blocks; b++)
            axes_fit_y(&making, b, chart);
        set_reach(chart);
        alike_join(chart);
        widen_coinciding_curves(chart);
        snprintf(chart->x_label, sizeof chart->x_label, "%s", figure->x_label ? figure->x_label : figure->x);
    } else {
        error_set(why, ERROR_USAGE, "no point has a %s", making.y);
        chart_free(chart);
    }
    free(making.part);
    free(making.group_index);
    return chart->panels > 0;
}

void chart_free(struct chart *chart)
{
    for (int p = 0; p < chart->panels; p++) {
        for (int c = 0; c < chart->panel[p].curves; c++)
            free(chart->panel[p].curve[c].point);
        free(chart->panel[p].curve);
        free(chart->panel[p].line);
    }
    free(chart->panel);
    free(chart->x_value);
    scale_free(&chart->x);
    for (int b = 0; b < chart->blocks; b++)
        scale_free(&chart->block[b].y);
    text_free(&chart->remark);
    *chart = (struct chart){0};
}
