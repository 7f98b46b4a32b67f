#include "figure/layout/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "figure/layout/page.h"

double layout_points(enum layout_role role)
{
    return role == TEXT_LINE || role == TEXT_CAPTION || role == TEXT_CELL ? LAYOUT_SMALL : LAYOUT_POINTS;
}

#define MANY_NAMES 20 /* of a heat map: more rows are as high as their names */
#define FEW_LANES  4  /* of a timeline: as many are higher than a line of text */

/* ---- Rows and columns ---- */

/* Rows of equal length between the breaks. */
static void arrange(struct page *m, int most)
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

static double height_of_plots(double width, int rows, int columns, bool own)
{
    bool wide = width > 4.5;
    if (rows > 1 && own) /* each row has a y axis of its own */
        return wide ? 0.75 : 0.65;
    if (rows == 1)
        return columns == 1 ? (wide ? 2.3 : 1.5) : wide ? 1.8 : 1.35;
    return wide ? (rows > 3 ? 1.3 : 1.5) : (rows > 3 ? 1.0 : 1.15);
}

/* ---- Panels ---- */

/* Has the row below the same x axis? Then that row alone has its ticks' labels and its name. */
static bool shares_x(const struct page *m, int row)
{
    return row + 1 < m->rows && m->columns[row + 1] == m->columns[row];
}

static void put_ticks(struct page *m, int p)
{
    struct layout_panel *at = &m->layout->panel[p];
    const struct scale *y = &m->chart->block[at->y].y;
    for (int i = 0; i < at->x.ticks && !shares_x(m, m->row[p]); i++) {
        page_text(m, at->x.tick[i].label,
                  at->left + (at->right - at->left) * scale_position(&at->x, at->x.tick[i].at),
                  at->bottom - TIC - GAP - (m->turned ? 0 : 0.45 * LAYOUT_POINTS / 72), m->turned, TEXT_TICK,
                  -1);
        m->layout->text[m->layout->texts - 1].turned = m->turned;
    }
    for (int i = 0; i < y->ticks && m->column[p] == 0; i++)
        page_text(m, y->tick[i].label, at->left - TIC - GAP,
                  at->bottom + m->plot_height * scale_position(y, y->tick[i].at), 1, TEXT_TICK, -1);
}

/* Does any cell have a second line, its interval? */
static bool has_spread(const struct chart *chart)
{
    for (int p = 0; p < chart->panels && chart->cells; p++)
        for (int c = 0; c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++)
                if (isfinite(chart->panel[p].curve[c].point[i].spread))
                    return true;
    return false;
}

/* Height of a row of cells in inches. */
static double cell_height(const struct chart *chart)
{
    if (has_spread(chart))
        return 2.6 * LAYOUT_SMALL / 72;
    return chart->block[0].y.ticks <= MANY_NAMES ? 0.2 : 1.35 * LAYOUT_POINTS / 72;
}

/* The value of each cell, where cells are wide enough for all of them. */
static void put_cells(struct page *m, int p)
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
            snprintf(text, sizeof text,
                     isfinite(point->spread) ? "%.1f"
                     : point->shown < 10     ? "%.2f"
                     : point->shown < 1000   ? "%.3g"
                                             : "%.0f",
                     point->shown);
            double x = at->left + (at->right - at->left) * scale_position(&m->chart->x, point->x),
                   y = at->bottom +
                       m->plot_height * scale_position(&m->chart->block[panel->block].y, point->y),
                   up = isfinite(point->spread) ? 0.55 * LAYOUT_SMALL / 72 : 0;
            page_text(m, text, x, y + up, 0, TEXT_CELL, -1);
            if (!isfinite(point->spread))
                continue;
            snprintf(text, sizeof text, "±%.1f", point->spread);
            page_text(m, text, x, y - up, 0, TEXT_CELL, -1);
        }
}

/* The label of a block's y axis beside its rows, in lines, each turned. */
static void put_y_label(struct page *m, int block, double bottom, double top)
{
    struct text lines = {0};
    int i = 0;
    page_wrap(m->font, m->chart->block[block].label, fmax(top - bottom, 0.8), LAYOUT_POINTS, &lines);
    char *rest = NULL;
    double x = MARGIN + m->line / 2;
    for (char *line = strtok_r(lines.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), i++) {
        page_text(m, line, x + i * m->line, (bottom + top) / 2, 0, TEXT_AXIS, -1);
        m->layout->text[m->layout->texts - 1].turned = true;
    }
    text_free(&lines);
}

/* Extend the y axis for the name of the highest line. */
static void make_headroom(struct page *m, int b)
{
    struct scale *y = &m->chart->block[b].y;
    double top = -INFINITY;
    for (int p = 0; p < m->chart->panels; p++)
        for (int l = 0; m->chart->panel[p].block == b && l < m->chart->panel[p].lines; l++)
            if (*m->chart->panel[p].line[l].label)
                top = fmax(top, m->chart->panel[p].line[l].y);
    for (int i = 0; i < 100 && m->plot_height * (1 - scale_position(y, top)) < m->small + 0.03; i++)
        scale_widen(y, 0, 0.01);
}

static void measure_left(struct page *m)
{
    m->left = 0;
    for (int b = 0; b < m->chart->blocks; b++) {
        struct chart_block *block = &m->chart->block[b];
        make_headroom(m, b);
        scale_tick_up(&block->y, m->plot_height, m->font, LAYOUT_POINTS);
        int lines = page_wrap(m->font, block->label, fmax(m->plot_height, 0.8), LAYOUT_POINTS, NULL);
        m->left = fmax(m->left, MARGIN + lines * m->line + TIC + 2 * GAP +
                                    scale_label_width(&block->y, m->font, LAYOUT_POINTS));
    }
}

static void place_names(struct page *m)
{
    for (int p = 0; p < m->chart->panels; p++) {
        const struct chart_panel *panel = &m->chart->panel[p];
        m->name =
            memory_resize(m->name, m->names + (size_t)panel->lines + CHART_RULES_MAX + 1, sizeof *m->name);
        m->names += line_names_place(m->chart, p, m->font, m->plot_width[m->row[p]], m->plot_height,
                                     &m->name[m->names]);
    }
}

/* If one title is too long, all are shortened: a device has one name per figure. */
static void shorten_titles(struct page *m)
{
    double reserve = m->end_labels ? m->end_width + END_LABEL_GAP : 0;
    bool fits = true;
    for (int p = 0; p < m->chart->panels; p++)
        fits = fits && font_width(m->font, m->chart->panel[p].title, LAYOUT_POINTS) <=
                           m->plot_width[m->row[p]] + reserve;
    for (int p = 0; p < m->chart->panels && !fits; p++)
        memcpy(m->chart->panel[p].title, m->chart->panel[p].brief, sizeof m->chart->panel[p].title);
}

/* Are names along x wider than their places? Then they are turned, for each place needs its name. */
static bool turns_names(const struct page *m)
{
    const struct scale *x = &m->chart->x;
    double least = INFINITY;
    for (int r = 0; r < m->rows; r++)
        least = fmin(least, m->plot_width[r]);
    return x->kind == SCALE_NAMES &&
           scale_label_width(x, m->font, LAYOUT_POINTS) + 0.6 * LAYOUT_POINTS / 72 > least / x->ticks;
}

static void put_x_label(struct page *m, double width, double *top, double left, double right)
{
    double middle = (left + right) / 2, room = 2 * fmin(middle, width - middle) - 2 * MARGIN;
    *top -= m->line * page_lines(m, m->chart->x_label, room, middle, *top - m->line / 2, 0, TEXT_AXIS);
}

/* The ticks of a row are the same in all its panels. */
static void tick_x(struct page *m, int row, double reserve, struct layout_panel *at)
{
    const struct scale *x = &m->chart->x;
    bool alone = m->columns[row] == 1;
    at->x = *x;
    at->x.tick = NULL;
    at->x.ticks = 0;
    if (x->kind == SCALE_NAMES) {
        int each = m->turned ? 1 + (int)(m->line * x->ticks / m->plot_width[row]) : 1; /* that have room */
        at->x.tick = memory_new((size_t)x->ticks + 1, sizeof *at->x.tick);
        for (int i = 0; i < x->ticks; i += each)
            at->x.tick[at->x.ticks++] = x->tick[i];
        if (m->turned)
            return;
    }
    scale_tick_along(&at->x, m->chart->x_value, m->chart->x_values, m->plot_width[row],
                     alone ? 0.3 : BETWEEN / 2 - 0.03, reserve + (alone ? RIGHT - 0.015 : BETWEEN / 2 - 0.03),
                     m->font, LAYOUT_POINTS);
}

/* Place a row of panels below `top`, and move `top` to its lower edge. */
static void put_row(struct page *m, int row, double width, double *top)
{
    struct chart *chart = m->chart;
    double reserve = m->end_labels ? m->end_width + END_LABEL_GAP : 0, right = 0;
    int last = 0, lines = 0;
    for (int p = 0; p < chart->panels; p++) {
        int own =
            page_wrap(m->font, chart->panel[p].title, m->plot_width[row] + reserve, LAYOUT_POINTS, NULL);
        lines = m->row[p] == row && own > lines ? own : lines;
    }
    *top -= lines ? lines * m->line + GAP : 0;
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
        tick_x(m, row, reserve, at);
        right = at->right;
        double room = m->plot_width[row] + reserve;
        int own = page_wrap(m->font, chart->panel[p].title, room, LAYOUT_POINTS, NULL);
        page_lines(m, chart->panel[p].title, room, (at->left + at->right) / 2,
                   *top + GAP + (own - 0.5) * m->line, 0, TEXT_TITLE);
        put_ticks(m, p);
        end_labels_put(m, p);
        put_cells(m, p);
    }
    double ticks = m->turned ? scale_label_width(&chart->x, m->font, LAYOUT_POINTS) + GAP : m->line;
    *top -= m->plot_height + TIC + (shares_x(m, row) ? 0 : GAP + ticks);
    bool ends_block = last + 1 == chart->panels || chart->panel[last + 1].block != chart->panel[last].block;
    if (ends_block && !shares_x(m, row))
        put_x_label(m, width, top, m->left, right);
    *top -= row + 1 < m->rows ? 2 * GAP : GAP;
}

static void put_names(struct page *m)
{
    for (size_t n = 0; n < m->names; n++) {
        const struct layout_panel *at = &m->layout->panel[m->name[n].panel];
        if (m->name[n].placed)
            page_text(m, m->name[n].label, at->left + m->name[n].x, at->bottom + m->name[n].y,
                      m->name[n].align, TEXT_LINE, -1);
    }
}

/* Blocks one below the other with the same label share it. */
static void put_y_labels(struct page *m)
{
    for (int b = 0, next; b < m->chart->blocks; b = next) {
        double bottom = INFINITY, top = -INFINITY;
        for (next = b + 1; next < m->chart->blocks; next++)
            if (strcmp(m->chart->block[b].label, m->chart->block[next].label) != 0)
                break;
        for (int p = 0; p < m->layout->panels; p++)
            if (m->layout->panel[p].y >= b && m->layout->panel[p].y < next) {
                bottom = fmin(bottom, m->layout->panel[p].bottom);
                top = fmax(top, m->layout->panel[p].top);
            }
        put_y_label(m, b, bottom, top);
    }
}

/* Everything was placed downwards from 0: move the origin to the lower left corner. */
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
    struct page m = {.chart = chart,
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
    arrange(&m, columns_that_fit(width, 0.5, PLOT_MIN));
    m.plot_height = height_of_plots(width, m.rows, m.columns[0], chart->blocks > 2);
    if (chart->block[0].y.kind == SCALE_NAMES) /* one line of text for each name */
        m.plot_height = chart->block[0].y.ticks * (chart->cells ? cell_height(chart)
                                                   : chart->areas && chart->block[0].y.ticks <= FEW_LANES
                                                       ? 0.28
                                                       : 1.5 * LAYOUT_POINTS / 72);
    measure_left(&m);
    end_labels_decide(&m, width);
    shorten_titles(&m);
    m.turned = turns_names(&m);
    place_names(&m);
    inside_labels_decide(&m);
    double top = -MARGIN;
    top -= key_put(&m, false, width, top);
    top -= key_put(&m, true, width, top);
    if (*chart->panel[0].title == '\0')
        top -= 0.03; /* half of the highest tick's label */
    for (int row = 0; row < m.rows; row++)
        put_row(&m, row, width, &top);
    put_names(&m);
    inside_labels_put(&m);
    put_y_labels(&m);
    top -= caption ? GAP : 0;
    top -= m.small * page_lines(&m, caption ? caption : "", width - 2 * MARGIN, MARGIN, top - m.small / 2, -1,
                                TEXT_CAPTION);
    layout->height = MARGIN - top;
    lift(layout, layout->height);
    for (size_t n = 0; n < m.names; n++)
        free(m.name[n].label);
    free(m.name);
    free(m.inside);
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
