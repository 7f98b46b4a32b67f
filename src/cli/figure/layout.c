#include "cli/figure/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/figure/place.h"

#define MARGIN     0.04  /* of the page */
#define GAP        0.035 /* between texts and lines */
#define TIC        0.035 /* length of a tick */
#define BETWEEN    0.24  /* panels of a row */
#define RIGHT      0.14  /* of the last panel: half a tick's label */
#define SAMPLE     0.26  /* of a curve, in the key */
#define LEAST_PLOT 1.05  /* width of a panel */

/* What is settled step by step. */
struct making {
    struct chart *chart;
    const struct font *font;
    struct layout *layout;
    double line, small;    /* heights of a line of text */
    bool ends;             /* labels stand at the curves' ends */
    double end_width;      /* of the widest of them */
    int *row;              /* of each panel */
    int *column, *columns; /* of each panel; of each row */
    int rows;
    double left, plot_height, *plot_width; /* of each row */
    struct place_name *name;               /* names of lines, a list for all panels */
    size_t names;
};

double layout_points(enum layout_role role)
{
    return role == TEXT_LINE || role == TEXT_CAPTION || role == TEXT_CELL ? LAYOUT_SMALL : LAYOUT_POINTS;
}

static void put_text(struct making *m, const char *text, double x, double y, int align, enum layout_role role,
                     int colour)
{
    struct layout *layout = m->layout;
    layout->text = memory_grow(layout->text, layout->texts, &layout->text_capacity, sizeof *layout->text);
    layout->text[layout->texts++] = (struct layout_text){memory_text(text), x, y, align, false, role, colour};
}

static void put_stroke(struct making *m, double x0, double y0, double x1, double y1, struct look look,
                       bool thin)
{
    struct layout *layout = m->layout;
    layout->stroke =
        memory_grow(layout->stroke, layout->strokes, &layout->stroke_capacity, sizeof *layout->stroke);
    layout->stroke[layout->strokes++] = (struct layout_stroke){x0, y0, x1, y1, look, thin};
}

static void put_mark(struct making *m, double x, double y, struct look look)
{
    struct layout *layout = m->layout;
    layout->mark = memory_grow(layout->mark, layout->marks, &layout->mark_capacity, sizeof *layout->mark);
    layout->mark[layout->marks++] = (struct layout_mark){x, y, look};
}

/* Break a text at spaces into lines of at most `width` inches, each ended by '\n'. Returns how many; a word that is
 * wider has a line of its own. */
static int wrap(const struct font *font, const char *text, double width, double points, struct text *out)
{
    char *copy = memory_text(text), *rest = NULL;
    struct text line = {0};
    int lines = 0;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        struct text longer = {0};
        text_add(&longer, "%s%s%s", line.length ? line.data : "", line.length ? " " : "", word);
        if (line.length && font_width(font, longer.data, points) > width) {
            text_add(out, "%s\n", line.data);
            lines++;
            text_free(&line);
            text_add(&line, "%s", word);
            text_free(&longer);
        } else {
            text_free(&line);
            line = longer;
        }
    }
    if (line.length) {
        text_add(out, "%s\n", line.data);
        lines++;
    }
    text_free(&line);
    free(copy);
    return lines;
}

/* Cut a text to a width, with an ellipsis. */
static void cut(const struct font *font, char *text, double width, double points)
{
    size_t length = strlen(text);
    while (length > 4 && font_width(font, text, points) > width) {
        do
            length--;
        while (length > 4 && ((unsigned char)text[length] & 0xc0) == 0x80);
        memcpy(text + length, "…", sizeof "…");
    }
}

/* ---- Rows and columns ---- */

/* Rows of equal length between the breaks. */
static void arrange(struct making *m, int most)
{
    const struct chart *chart = m->chart;
    m->rows = 0;
    for (int first = 0, end; first < chart->panels; first = end) {
        for (end = first + 1; end < chart->panels && !chart->panel[end].breaks;)
            end++;
        int rows = (end - first + most - 1) / most, each = (end - first + rows - 1) / rows;
        for (int p = first; p < end; p++) {
            m->row[p] = m->rows + (p - first) / each;
            m->column[p] = (p - first) % each;
            m->columns[m->row[p]] =
                m->column[p] + 1 > m->columns[m->row[p]] ? m->column[p] + 1 : m->columns[m->row[p]];
        }
        m->rows += rows;
    }
}

static int columns_that_fit(double width, double left, double least)
{
    int columns = (int)((width - left - RIGHT + BETWEEN) / (least + BETWEEN));
    return columns < 1 ? 1 : columns;
}

static double height_of_plots(double width, int rows, int columns)
{
    bool wide = width > 4.5;
    if (rows == 1)
        return columns == 1 ? (wide ? 2.3 : 1.5) : wide ? 1.8 : 1.35;
    return wide ? (rows > 3 ? 1.3 : 1.5) : (rows > 3 ? 1.0 : 1.15);
}

/* The widths of plots, when `reserve` inches of each panel are for labels at the ends. */
static double narrowest(struct making *m, double width, double reserve)
{
    double least = INFINITY;
    for (int r = 0; r < m->rows; r++) {
        m->plot_width[r] =
            (width - m->left - RIGHT - (m->columns[r] - 1) * BETWEEN) / m->columns[r] - reserve;
        least = fmin(least, m->plot_width[r]);
    }
    return least;
}

/* ---- Labels at the curves' ends ---- */

static double end_of(const struct making *m, const struct chart_panel *panel, int c, double *y)
{
    const struct chart_curve *curve = &panel->curve[c];
    const struct chart_point *last = &curve->point[curve->points - 1];
    *y = m->plot_height * scale_place(&m->chart->block[panel->block].y, last->y);
    return scale_place(&m->chart->x, last->x);
}

/* Heights of the labels of a panel: near their curves' ends and apart from each other. False when they have no room. */
static bool spread_ends(const struct making *m, const struct chart_panel *panel, double *height)
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
    for (int round = 0; round < 200; round++) /* push neighbours apart, evenly */
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

static void decide_on_ends(struct making *m, double width)
{
    double height[64];
    int curves = 0;
    m->ends = !m->chart->dots;
    m->end_width = 0;
    for (int p = 0; p < m->chart->panels && m->ends; p++) {
        const struct chart_panel *panel = &m->chart->panel[p];
        m->ends = spread_ends(m, panel, height);
        for (int c = 0; c < panel->curves; c++)
            m->end_width = fmax(m->end_width, font_width(m->font, panel->curve[c].label, LAYOUT_POINTS));
        curves = panel->curves > curves ? panel->curves : curves;
    }
    double reserve = m->end_width + 0.14, least = narrowest(m, width, reserve);
    if (m->ends && least > 1.3 && reserve < 0.35 * (least + reserve))
        return;
    m->ends = false;
    narrowest(m, width, 0);
}

static void put_ends(struct making *m, int p)
{
    const struct chart_panel *panel = &m->chart->panel[p];
    const struct layout_panel *at = &m->layout->panel[p];
    double height[64];
    if (!m->ends || !spread_ends(m, panel, height))
        return;
    for (int c = 0; c < panel->curves; c++) {
        const struct chart_curve *curve = &panel->curve[c];
        double y, x = at->left + (at->right - at->left) * end_of(m, panel, c, &y);
        double label = at->right + 0.1;
        if (fabs(y - height[c]) > 0.02 || label - x > 0.16)
            put_stroke(m, x + 0.03, at->bottom + y, label - 0.015, at->bottom + height[c],
                       (struct look){curve->look.colour, 0, 0}, true);
        put_text(m, curve->label, label, at->bottom + height[c], -1, TEXT_END, curve->look.colour);
    }
}

/* ---- The key ---- */

struct entry {
    const char *label;
    struct look look;
    bool line;
};

/* The curves, unless their names stand at their ends; or, `lines`, the roofs whose names found no room. */
static struct entry *entries_of(const struct making *m, bool lines, int *count)
{
    struct entry *entry = NULL;
    *count = 0;
    for (int p = 0; p < m->chart->panels && !m->ends && !lines && !m->chart->cells; p++)
        for (int c = 0; c < m->chart->panel[p].curves; c++) {
            const struct chart_curve *curve = &m->chart->panel[p].curve[c];
            int k = 0;
            while (k < *count && strcmp(entry[k].label, curve->label) != 0)
                k++;
            if (k < *count)
                continue;
            entry = memory_resize(entry, (size_t)*count + 1, sizeof *entry);
            entry[(*count)++] = (struct entry){curve->label, curve->look, curve->line};
        }
    for (size_t n = 0; n < m->names && lines; n++)
        if (!m->name[n].placed) {
            entry = memory_resize(entry, (size_t)*count + 1, sizeof *entry);
            entry[(*count)++] = (struct entry){m->name[n].label, {-1, 0, 0}, true};
        }
    return entry;
}

/* The widths of `columns` columns, filled row by row; returns the sum. */
static double measure_columns(const struct making *m, const struct entry *entry, int count, int columns,
                              double *column)
{
    double sum = 0;
    for (int k = 0; k < columns; k++) {
        column[k] = 0;
        for (int i = k; i < count; i += columns)
            column[k] =
                fmax(column[k], SAMPLE + 0.05 + font_width(m->font, entry[i].label, LAYOUT_POINTS) + 0.14);
        sum += column[k];
    }
    return sum - 0.14;
}

/* Returns the height that the key takes, with `top` its upper edge. */
static double put_key(struct making *m, bool lines, double width, double top)
{
    int count, columns;
    struct entry *entry = entries_of(m, lines, &count);
    double column[64], row = 1.3 * LAYOUT_POINTS / 72;
    if (!count)
        return 0;
    for (columns = count < 64 ? count : 64; columns > 1; columns--)
        if (measure_columns(m, entry, count, columns, column) <= width - 2 * MARGIN)
            break;
    int rows = (count + columns - 1) / columns;
    for (; columns > 1 && (count + columns - 2) / (columns - 1) == rows;) /* full rows */
        columns--;
    double sum = measure_columns(m, entry, count, columns, column), x = (width - sum) / 2;
    for (int k = 0; k < columns; k++) {
        for (int i = k; i < count; i += columns) {
            const int down = i / columns;
            double y = top - row * (down + 0.5);
            if (!m->chart->dots || entry[i].line)
                put_stroke(m, x, y, x + SAMPLE, y, entry[i].look, entry[i].look.colour < 0);
            if (!entry[i].line)
                put_mark(m, x + SAMPLE / 2, y, entry[i].look);
            put_text(m, entry[i].label, x + SAMPLE + 0.05, y, -1, TEXT_KEY, -1);
        }
        x += column[k];
    }
    free(entry);
    return rows * row + GAP;
}

/* ---- Panels ---- */

static void put_ticks(struct making *m, int p)
{
    struct layout_panel *at = &m->layout->panel[p];
    const struct scale *y = &m->chart->block[at->y].y;
    for (int i = 0; i < at->x.ticks; i++)
        put_text(m, at->x.tick[i].label,
                 at->left + (at->right - at->left) * scale_place(&at->x, at->x.tick[i].at),
                 at->bottom - TIC - GAP - 0.45 * LAYOUT_POINTS / 72, 0, TEXT_TICK, -1);
    for (int i = 0; i < y->ticks && m->column[p] == 0; i++)
        put_text(m, y->tick[i].label, at->left - TIC - GAP,
                 at->bottom + m->plot_height * scale_place(y, y->tick[i].at), 1, TEXT_TICK, -1);
}

/* The value of each cell, where cells are wide enough for all of them. */
static void put_cells(struct making *m, int p)
{
    const struct layout_panel *at = &m->layout->panel[p];
    const struct chart_panel *panel = &m->chart->panel[p];
    double cell = (at->right - at->left) / m->chart->x.ticks,
           widest = font_width(m->font, "0.00", LAYOUT_SMALL);
    if (!m->chart->cells || widest > 0.95 * cell)
        return;
    for (int c = 0; c < panel->curves; c++)
        for (size_t i = 0; i < panel->curve[c].points; i++) {
            const struct chart_point *point = &panel->curve[c].point[i];
            char text[32];
            snprintf(text, sizeof text, point->value < 10 ? "%.2f" : "%.3g", point->value);
            put_text(m, text, at->left + (at->right - at->left) * scale_place(&m->chart->x, point->x),
                     at->bottom + m->plot_height * scale_place(&m->chart->block[panel->block].y, point->y), 0,
                     TEXT_CELL, -1);
        }
}

/* The label of a block's y axis beside its rows, in lines, each turned. */
static void put_y_label(struct making *m, int block, double bottom, double top)
{
    struct text lines = {0};
    int i = 0;
    wrap(m->font, m->chart->block[block].label, fmax(top - bottom, 0.8), LAYOUT_POINTS, &lines);
    char *rest = NULL;
    double x = MARGIN + m->line / 2;
    for (char *line = strtok_r(lines.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), i++) {
        put_text(m, line, x + i * m->line, (bottom + top) / 2, 0, TEXT_AXIS, -1);
        m->layout->text[m->layout->texts - 1].turned = true;
    }
    text_free(&lines);
}

/* Room above the highest line for its name. */
static void make_headroom(struct making *m, int b)
{
    struct scale *y = &m->chart->block[b].y;
    double top = -INFINITY;
    for (int p = 0; p < m->chart->panels; p++)
        for (int l = 0; m->chart->panel[p].block == b && l < m->chart->panel[p].lines; l++)
            if (*m->chart->panel[p].line[l].label)
                top = fmax(top, m->chart->panel[p].line[l].y);
    for (int i = 0; i < 100 && m->plot_height * (1 - scale_place(y, top)) < m->small + 0.03; i++)
        scale_widen(y, 0, 0.01);
}

static void measure_left(struct making *m)
{
    m->left = 0;
    for (int b = 0; b < m->chart->blocks; b++) {
        struct text lines = {0};
        make_headroom(m, b);
        scale_tick_up(&m->chart->block[b].y, m->plot_height, m->font, LAYOUT_POINTS);
        int count = wrap(m->font, m->chart->block[b].label, fmax(m->plot_height, 0.8), LAYOUT_POINTS, &lines);
        text_free(&lines);
        m->left = fmax(m->left, MARGIN + count * m->line + TIC + 2 * GAP +
                                    scale_label_width(&m->chart->block[b].y, m->font, LAYOUT_POINTS));
    }
}

static void place_names(struct making *m)
{
    for (int p = 0; p < m->chart->panels; p++) {
        const struct chart_panel *panel = &m->chart->panel[p];
        m->name = memory_resize(m->name, m->names + (size_t)panel->lines + 1, sizeof *m->name);
        m->names +=
            place_lines(m->chart, p, m->font, m->plot_width[m->row[p]], m->plot_height, &m->name[m->names]);
    }
}

static void put_x_label(struct making *m, double width, double *top, double left, double right)
{
    struct text lines = {0};
    char *rest = NULL;
    double middle = (left + right) / 2, room = 2 * fmin(middle, width - middle) - 2 * MARGIN;
    wrap(m->font, m->chart->x_label, room, LAYOUT_POINTS, &lines);
    for (char *line = strtok_r(lines.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        put_text(m, line, middle, *top - m->line / 2, 0, TEXT_AXIS, -1);
        *top -= m->line;
    }
    text_free(&lines);
}

/* A row of panels with its upper edge at `top`; moves that down. */
static void put_row(struct making *m, int row, double width, double *top)
{
    struct chart *chart = m->chart;
    double reserve = m->ends ? m->end_width + 0.14 : 0, right = 0;
    int last = 0;
    bool titled = false;
    for (int p = 0; p < chart->panels; p++)
        titled = titled || (m->row[p] == row && *chart->panel[p].title);
    *top -= titled ? m->line + GAP : 0;
    for (int p = 0; p < chart->panels; p++) {
        struct layout_panel *at = &m->layout->panel[p];
        if (m->row[p] != row)
            continue;
        last = p;
        at->y = chart->panel[p].block;
        at->left = m->left + m->column[p] * (m->plot_width[row] + reserve + BETWEEN);
        at->right = at->left + m->plot_width[row];
        at->top = *top;
        at->bottom = *top - m->plot_height;
        at->x = chart->x;
        at->x.tick = NULL;
        at->x.ticks = 0;
        if (chart->x.kind == SCALE_NAMES) {
            at->x.tick = memory_new((size_t)chart->x.ticks + 1, sizeof *at->x.tick);
            memcpy(at->x.tick, chart->x.tick, (size_t)chart->x.ticks * sizeof *at->x.tick);
            at->x.ticks = chart->x.ticks;
        }
        scale_tick_along(&at->x, chart->x_value, chart->x_values, m->plot_width[row],
                         m->column[p] ? BETWEEN / 2 - 0.015 : 0.3,
                         (m->column[p] + 1 < m->columns[row] ? BETWEEN / 2 : RIGHT) - 0.015, m->font,
                         LAYOUT_POINTS);
        right = at->right;
        if (*chart->panel[p].title) {
            cut(m->font, chart->panel[p].title, m->plot_width[row] + reserve, LAYOUT_POINTS);
            put_text(m, chart->panel[p].title, (at->left + at->right) / 2, *top + GAP + m->line / 2, 0,
                     TEXT_TITLE, -1);
        }
        put_ticks(m, p);
        put_ends(m, p);
        put_cells(m, p);
    }
    *top -= m->plot_height + TIC + GAP + m->line;
    bool ends_block = last + 1 == chart->panels || chart->panel[last + 1].block != chart->panel[last].block;
    if (ends_block &&
        (row + 1 == m->rows || m->columns[row + 1] != m->columns[row])) /* else the one below is the same */
        put_x_label(m, width, top, m->left, right);
    *top -= row + 1 < m->rows ? 2 * GAP : GAP;
}

static void put_names(struct making *m)
{
    for (size_t n = 0; n < m->names; n++) {
        const struct layout_panel *at = &m->layout->panel[m->name[n].panel];
        if (m->name[n].placed)
            put_text(m, m->name[n].label, at->left + m->name[n].x, at->bottom + m->name[n].y,
                     m->name[n].align, TEXT_LINE, -1);
    }
}

static void put_y_labels(struct making *m)
{
    for (int b = 0; b < m->chart->blocks; b++) {
        double bottom = INFINITY, top = -INFINITY;
        for (int p = 0; p < m->layout->panels; p++)
            if (m->layout->panel[p].y == b) {
                bottom = fmin(bottom, m->layout->panel[p].bottom);
                top = fmax(top, m->layout->panel[p].top);
            }
        put_y_label(m, b, bottom, top);
    }
}

static void put_caption(struct making *m, const char *caption, double width, double *top)
{
    struct text lines = {0};
    char *rest = NULL;
    wrap(m->font, caption, width - 2 * MARGIN, LAYOUT_SMALL, &lines);
    *top -= GAP;
    for (char *line = strtok_r(lines.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        put_text(m, line, MARGIN, *top - m->small / 2, -1, TEXT_CAPTION, -1);
        *top -= m->small;
    }
    text_free(&lines);
}

/* Everything was placed downwards from 0: put the lower left corner there. */
static void lift(struct layout *layout, double by)
{
    for (size_t i = 0; i < layout->texts; i++)
        layout->text[i].y += by;
    for (size_t i = 0; i < layout->strokes; i++) {
        layout->stroke[i].y0 += by;
        layout->stroke[i].y1 += by;
    }
    for (size_t i = 0; i < layout->marks; i++)
        layout->mark[i].y += by;
    for (int p = 0; p < layout->panels; p++) {
        layout->panel[p].bottom += by;
        layout->panel[p].top += by;
    }
}

void layout_make(struct chart *chart, const struct font *font, double width, const char *caption,
                 struct layout *layout)
{
    size_t panels = (size_t)chart->panels;
    struct making m = {.chart = chart,
                       .font = font,
                       .layout = layout,
                       .line = 1.22 * LAYOUT_POINTS / 72,
                       .small = 1.22 * LAYOUT_SMALL / 72};
    *layout = (struct layout){
        .width = width, .panels = chart->panels, .panel = memory_new(panels, sizeof *layout->panel)};
    m.row = memory_new(panels, sizeof *m.row);
    m.column = memory_new(panels, sizeof *m.column);
    m.columns = memory_new(panels, sizeof *m.columns);
    m.plot_width = memory_new(panels, sizeof *m.plot_width);
    arrange(&m, columns_that_fit(width, 0.5, LEAST_PLOT));
    m.plot_height = height_of_plots(width, m.rows, m.columns[0]);
    if (chart->block[0].y.kind == SCALE_NAMES) /* a line of text for each, and some air */
        m.plot_height = chart->block[0].y.ticks * (chart->cells ? 0.2 : 1.5 * LAYOUT_POINTS / 72);
    measure_left(&m);
    decide_on_ends(&m, width);
    place_names(&m);
    double top = -MARGIN;
    top -= put_key(&m, false, width, top);
    top -= put_key(&m, true, width, top);
    if (*chart->panel[0].title == '\0')
        top -= 0.03; /* half of the highest tick's label */
    for (int row = 0; row < m.rows; row++)
        put_row(&m, row, width, &top);
    put_names(&m);
    put_y_labels(&m);
    if (caption)
        put_caption(&m, caption, width, &top);
    layout->height = MARGIN - top;
    lift(layout, layout->height);
    for (size_t n = 0; n < m.names; n++)
        free(m.name[n].label);
    free(m.name);
    free(m.row);
    free(m.column);
    free(m.columns);
    free(m.plot_width);
}

void layout_free(struct layout *layout)
{
    for (size_t i = 0; i < layout->texts; i++)
        free(layout->text[i].text);
    for (int p = 0; p < layout->panels; p++)
        scale_free(&layout->panel[p].x);
    free(layout->text);
    free(layout->stroke);
    free(layout->mark);
    free(layout->panel);
    *layout = (struct layout){0};
}
