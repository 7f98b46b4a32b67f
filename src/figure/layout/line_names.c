#include "figure/layout/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define STEP   0.05 /* inches between the positions that are tried */
#define CLEAR  0.02 /* around curves */
#define MARK   0.03 /* half a mark */
#define BESIDE 0.03 /* between a vertical line and its name */

struct box {
    double left, right, bottom, top;
};

static bool is_inside(const struct box *box, double x, double y, double around)
{
    return x > box->left - around && x < box->right + around && y > box->bottom - around &&
           y < box->top + around;
}

/* Does a segment of a curve come near the box? */
static bool meets(const struct box *box, double x0, double y0, double x1, double y1, double around)
{
    int steps = 1 + (int)(hypot(x1 - x0, y1 - y0) / 0.008);
    for (int i = 0; i <= steps; i++)
        if (is_inside(box, x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps, around))
            return true;
    return false;
}

static bool meets_curve(const struct chart *chart, const struct chart_panel *panel,
                        const struct chart_curve *curve, double width, double height, const struct box *box)
{
    const struct scale *x = &chart->x, *y = &chart->block[panel->block].y;
    for (size_t i = 0; i < curve->points; i++) {
        const struct chart_point *b = &curve->point[i], *a = i ? b - 1 : b;
        double bx = width * scale_position(x, b->x), by = height * scale_position(y, b->y);
        if (is_inside(box, bx, by, MARK))
            return true;
        if ((!chart->dots || curve->line) &&
            meets(box, width * scale_position(x, a->x), height * scale_position(y, a->y), bx, by, CLEAR))
            return true;
        if (isfinite(b->low) && meets(box, bx, height * scale_position(y, b->low), bx,
                                      height * scale_position(y, b->high), CLEAR))
            return true;
    }
    return false;
}

static bool is_free(const struct chart *chart, const struct chart_panel *panel, double width, double height,
                    int line, double beyond, const struct box *box, const struct box *placed, size_t count)
{
    if (box->left < 0.02 || box->right > width + beyond || box->bottom < 0 || box->top > height + 0.02)
        return false;
    for (int l = 0; l < panel->lines; l++) {
        double y = height * scale_position(&chart->block[panel->block].y, panel->line[l].y);
        if (l != line && y > box->bottom - 0.005 && y < box->top + 0.005)
            return false;
    }
    for (int r = 0; r < panel->rules; r++) {
        double x = width * scale_position(&chart->x, panel->rule[r].x);
        if (x > box->left - 0.005 && x < box->right + 0.005)
            return false;
    }
    for (size_t i = 0; i < count; i++)
        if (box->left < placed[i].right + CLEAR && box->right > placed[i].left - CLEAR &&
            box->bottom < placed[i].top && box->top > placed[i].bottom)
            return false;
    for (int c = 0; c < panel->curves; c++)
        if (meets_curve(chart, panel, &panel->curve[c], width, height, box))
            return false;
    return true;
}

/* Tries positions above the line, from its ends to its middle, close to it or above the marks on it; then below. */
static bool find(const struct chart *chart, const struct chart_panel *panel, int line, double width,
                 double height, double text, const struct box *placed, size_t count, struct box *box)
{
    static const double away[] = {0.012, 0.045, -0.012, -0.045};
    double y = height * scale_position(&chart->block[panel->block].y, panel->line[line].y),
           tall = LAYOUT_SMALL / 72;
    for (int side = 0; side < 4; side++) {
        double bottom = y + away[side] - (away[side] < 0 ? tall : 0);
        for (int step = 0; 0.02 + step * STEP <= (width - text) / 2 + STEP; step++)
            for (int left = 0; left < 2; left++) {
                double in = 0.02 + step * STEP;
                double from = left ? in : width - text - in;
                *box = (struct box){from, from + text, bottom, bottom + tall};
                if (is_free(chart, panel, width, height, line, 0, box, placed, count))
                    return true;
            }
    }
    return false;
}

#define CLOSE 0.12 /* of a panel's height: closer lines are mistaken for one another */

static bool are_lines_close(const struct chart *chart, const struct chart_panel *panel)
{
    const struct scale *y = &chart->block[panel->block].y;
    for (int l = 0; l < panel->lines; l++)
        for (int k = 0; k < l; k++)
            if (*panel->line[l].label && *panel->line[k].label &&
                fabs(scale_position(y, panel->line[l].y) - scale_position(y, panel->line[k].y)) < CLOSE)
                return true;
    return false;
}

static const char *label_of(const struct chart_line *line, bool brief)
{
    return brief ? line->brief : line->label;
}

/* Is there room for the names of all lines of a panel? `placed` is overwritten. */
static bool have_room_for_all(const struct chart *chart, const struct chart_panel *panel,
                              const struct font *font, double width, double height, bool brief,
                              struct box *placed)
{
    size_t boxes = 0;
    for (int l = 0; l < panel->lines; l++) {
        const struct chart_line *line = &panel->line[l];
        if (!*line->label)
            continue;
        double text = font_width(font, label_of(line, brief), LAYOUT_SMALL);
        if ((brief && !line->named) ||
            !find(chart, panel, l, width, height, text, placed, boxes, &placed[boxes]))
            return false;
        boxes++;
    }
    return true;
}

/* Tries positions beside a vertical line, from the bottom to the top, on its left, then on its right. */
static bool find_beside(const struct chart *chart, const struct chart_panel *panel, int rule, double width,
                        double height, double text, const struct box *placed, size_t count, struct box *box)
{
    double x = width * scale_position(&chart->x, panel->rule[rule].x), tall = LAYOUT_SMALL / 72;
    for (int i = 0; 0.04 + i * STEP + tall <= height; i++)
        for (int left = 1; left >= 0; left--) {
            double from = left ? x - BESIDE - text : x + BESIDE, bottom = 0.04 + i * STEP;
            *box = (struct box){from, from + text, bottom, bottom + tall};
            if (is_free(chart, panel, width, height, -1, 0, box, placed, count))
                return true;
        }
    return false;
}

size_t line_names_place(const struct chart *chart, int p, const struct font *font, double width,
                        double height, struct line_name *name)
{
    const struct chart_panel *panel = &chart->panel[p];
    struct box *placed = memory_new((size_t)panel->lines + CHART_RULES_MAX + 1, sizeof *placed);
    size_t count = 0, boxes = 0;
    /* Forms that are tried, 0 the whole name. All close lines have the same, or are in the key: rates alone would be mistaken for
     * one another. */
    int first = 0, last = 1;
    if (are_lines_close(chart, panel)) {
        while (first < 2 && !have_room_for_all(chart, panel, font, width, height, first, placed))
            first++;
        last = first < 2 ? first : 1;
    }
    for (int l = 0; l < panel->lines; l++) {
        const char *label = panel->line[l].label;
        if (!*label)
            continue;
        struct line_name *one = &name[count++];
        struct box *box = &placed[boxes];
        *one = (struct line_name){.panel = p, .align = -1};
        for (int form = first; form <= last && !one->placed; form++) {
            label = label_of(&panel->line[l], form);
            one->placed = find(chart, panel, l, width, height, font_width(font, label, LAYOUT_SMALL), placed,
                               boxes, box);
        }
        struct text text = {0};
        if (one->placed) {
            text_add(&text, "%s", label);
            boxes++;
            one->x = box->left;
            one->y = (box->bottom + box->top) / 2 + 0.07 * LAYOUT_SMALL / 72;
        } else if (*panel->title && panel->line[l].named) { /* one entry of the key for all panels */
            text_add(&text, "%s", panel->line[l].brief);
        } else {
            text_add(&text, *panel->title ? "%s (%s)" : "%s", panel->line[l].label, panel->title);
        }
        one->label = text.data;
    }
    for (int r = 0; r < panel->rules; r++) { /* without room the caption alone names it */
        struct box *box = &placed[boxes];
        char label[sizeof panel->rule[r]
                       .label]; /* "64 bytes: two sectors", or where that is too long "64 bytes" */
        snprintf(label, sizeof label, "%s", panel->rule[r].label);
        bool found = false;
        for (int brief = 0; brief < 2 && !found; brief++) {
            label[brief ? strcspn(label, ":") : strlen(label)] = '\0';
            found = find_beside(chart, panel, r, width, height, font_width(font, label, LAYOUT_SMALL), placed,
                                boxes, box);
        }
        if (!found)
            continue;
        boxes++;
        name[count++] = (struct line_name){.panel = p,
                                           .align = -1,
                                           .placed = true,
                                           .label = memory_text(label),
                                           .x = box->left,
                                           .y = (box->bottom + box->top) / 2 + 0.07 * LAYOUT_SMALL / 72};
    }
    free(placed);
    return count;
}

/* ---- Labels of curves, inside the panel ---- */

#define OFF    0.05 /* inches from a curve's end to its label */
#define BEYOND 0.09 /* that a label may leave the panel by on the right */

/* Beside, above or below the last point of a curve, or else its first. */
static bool find_at_end(const struct chart *chart, const struct chart_panel *panel, int c, double width,
                        double height, double text, const struct box *placed, size_t count, struct box *box)
{
    const struct chart_curve *curve = &panel->curve[c];
    const double tall = LAYOUT_POINTS / 72;
    for (int first = 0; first < 2; first++) {
        const struct chart_point *end = &curve->point[first ? 0 : curve->points - 1];
        double x = width * scale_position(&chart->x, end->x),
               y = height * scale_position(&chart->block[panel->block].y, end->y);
        const double from[][2] = {{first ? x - OFF - text : x + OFF, y - tall / 2},
                                  {x - text / 2, y + OFF},
                                  {x - text / 2, y - OFF - tall},
                                  {x + OFF - text, y + OFF},
                                  {x + OFF - text, y - OFF - tall}};
        for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
            *box = (struct box){from[i][0], from[i][0] + text, from[i][1], from[i][1] + tall};
            if (is_free(chart, panel, width, height, -1, BEYOND, box, placed, count))
                return true;
        }
    }
    return false;
}

bool inside_labels_place(const struct chart *chart, int p, const struct font *font, double width,
                         double height, const struct line_name *name, size_t names,
                         struct inside_label *label)
{
    const struct chart_panel *panel = &chart->panel[p];
    struct box *placed = memory_new(names + (size_t)panel->curves + 1, sizeof *placed);
    size_t boxes = 0;
    bool all = panel->curves <= CHART_CURVES_MAX;
    for (size_t n = 0; n < names; n++)
        if (name[n].panel == p && name[n].placed) {
            double text = font_width(font, name[n].label, LAYOUT_SMALL), half = LAYOUT_SMALL / 72 / 2;
            placed[boxes++] = (struct box){name[n].x, name[n].x + text, name[n].y - half, name[n].y + half};
        }
    for (int c = 0; c < panel->curves && all; c++) {
        double text = font_width(font, panel->curve[c].label, LAYOUT_POINTS);
        all = find_at_end(chart, panel, c, width, height, text, placed, boxes, &placed[boxes]);
        label[c] = (struct inside_label){placed[boxes].left, (placed[boxes].bottom + placed[boxes].top) / 2};
        boxes++;
    }
    free(placed);
    return all;
}
