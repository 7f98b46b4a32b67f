#include "figure/making.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "table/heads.h"
#include "table/units.h"

double making_number(const struct frame *frame, size_t row, const char *name)
{
    int column = frame_find(frame, name);
    if (column < 0 || frame->column[column].type == COLUMN_TEXT)
        return NAN;
    union cell cell = *frame_cell(frame, row, column);
    if (frame_is_missing(&frame->column[column], cell))
        return NAN;
    return frame->column[column].type == COLUMN_INTEGER ? (double)cell.integer : cell.real;
}

bool making_is_share(const struct making *making)
{
    return !strcmp(making->y, COLUMN(fraction_peak));
}

void making_interval(const struct making *making, size_t row, double y, double ends[2])
{
    const struct frame *frame = &making->merged->all.results;
    const struct figure *figure = making->figure;
    int column = frame_find(frame, making->y), low, high;
    ends[0] = ends[1] = NAN;
    if (figure->interval[0] && figure->interval[1]) {
        ends[0] = making_number(frame, row, figure->interval[0]);
        ends[1] = making_number(frame, row, figure->interval[1]);
    } else if (making_is_share(making) && heads_interval(frame, COLUMN(fraction_peak), &low, &high) &&
               !isnan(frame_cell(frame, row, low)->real)) {
        ends[0] = making_number(frame, row, COLUMN(fraction_peak_low));
        ends[1] = making_number(frame, row, COLUMN(fraction_peak_high));
    } else if (frame->column[column].role == ROLE_RATE) {
        double median = making_number(frame, row, COLUMN(time_median));
        ends[0] = y * median / making_number(frame, row, COLUMN(time_ci_high));
        ends[1] = y * median / making_number(frame, row, COLUMN(time_ci_low));
    }
    double median = making_number(frame, row, COLUMN(time_median));
    if (frame->column[column].role == ROLE_RATE &&
        units_is_unknown(median, making_number(frame, row, COLUMN(time_ci_high)) - median))
        ends[0] = ends[1] = NAN;
    if (making->across ? !(ends[0] <= ends[1]) : !(ends[0] <= y && y <= ends[1])) /* also what is missing */
        ends[0] = ends[1] = NAN;
}

struct chart_panel *making_add_panel(struct chart *chart)
{
    chart->panel = memory_resize(chart->panel, (size_t)chart->panels + 1, sizeof *chart->panel);
    chart->panel[chart->panels] = (struct chart_panel){0};
    return &chart->panel[chart->panels++];
}

struct chart_curve *making_add_curve(struct chart_panel *panel)
{
    panel->curve = memory_resize(panel->curve, (size_t)panel->curves + 1, sizeof *panel->curve);
    panel->curve[panel->curves] = (struct chart_curve){0};
    return &panel->curve[panel->curves++];
}

struct chart_line *making_add_line(struct chart_panel *panel, double y)
{
    panel->line = memory_resize(panel->line, (size_t)panel->lines + 1, sizeof *panel->line);
    panel->line[panel->lines] = (struct chart_line){.y = y};
    return &panel->line[panel->lines++];
}
