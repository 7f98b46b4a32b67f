#include "analysis/bends.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "table/print_text.h"
#include "statistics/knee.h"

#define SCATTER_MOST 0.2  /* smallest scatter of points about a line */
#define LEVEL        0.05 /* exponents nearer to 0 count as level: 4 % from one power of two to the next */

/* Columns of /results that are axes and vary over the view; `except` is left out. Owned by the caller. */
static int varying_axes(const struct view *view, int except, struct view_column **axis)
{
    const struct frame *frame = &view->dataset->results;
    int count = 0;
    *axis = memory_new((size_t)frame->columns + 1, sizeof **axis);
    for (int i = 0; i < frame->columns; i++) {
        struct error ignored;
        struct view_column column = {.index = i};
        if (i == except || !view_is_axis(view->dataset, i) || view_distinct(view, &column, 2) < 2)
            continue;
        if (view_find_column(view->dataset, frame->column[i].name, &(*axis)[count], &ignored) == 0)
            count++;
    }
    return count;
}

void bends_describe_row(const struct merged *merged, const struct view *view, size_t row, const char *except,
                        struct text *out)
{
    const struct frame *frame = &merged->all.results;
    struct view_column *axis;
    int count = varying_axes(view, except ? frame_find(frame, except) : -1, &axis);
    for (int i = 0; i < count; i++) {
        char value[96];
        const struct column *header = view_header(&merged->all, &axis[i]);
        union cell cell = view_cell(&merged->all, row, &axis[i]);
        if (frame_is_missing(header, cell) || view_is_no_limit(&merged->all, row, &axis[i]))
            continue;
        print_human(header, cell, value, sizeof value);
        bool mute = !strcmp(axis[i].name, "variant") || !strcmp(axis[i].name, "dtype");
        text_add(out, "%s%s%s%s", out->length ? ", " : "", mute ? "" : axis[i].name, mute ? "" : " ", value);
    }
    free(axis);
}

/* ---- Curves ---- */

static double real_of(const struct merged *merged, size_t row, int column)
{
    const struct column *header = &merged->all.results.column[column];
    union cell cell = *frame_cell(&merged->all.results, row, column);
    if (header->type == COLUMN_TEXT || frame_is_missing(header, cell))
        return NAN;
    return header->type == COLUMN_INTEGER ? (double)cell.integer : cell.real;
}

static struct knee_point point_of(const struct merged *merged, size_t row, int x, const char *y)
{
    const struct frame *frame = &merged->all.results;
    double rate = frame_find_real(frame, row, y), median = frame_find_real(frame, row, COLUMN(time_median));
    return (struct knee_point){real_of(merged, row, x), rate,
                               rate * median / frame_find_real(frame, row, COLUMN(time_ci_high)),
                               rate * median / frame_find_real(frame, row, COLUMN(time_ci_low))};
}

/* Points of rows [first, end) of the view, in order of x; those that have no place in log-log are left out. */
static size_t take_points(const struct merged *merged, const struct view *view, size_t first, size_t end,
                          int x, const char *y, struct knee_point point[KNEE_POINTS_MAX])
{
    size_t count = 0;
    for (size_t i = first; i < end && count < KNEE_POINTS_MAX; i++) {
        struct knee_point one = point_of(merged, view->row[i], x, y);
        if (one.x > 0 && one.y > 0 && (!count || one.x > point[count - 1].x))
            point[count++] = one;
    }
    return count;
}

static double top_of(const struct knee_point *point, size_t count)
{
    double top = 0;
    for (size_t i = 0; i < count; i++)
        top = fmax(top, point[i].y);
    return top;
}

/* The curve along an axis with the most points; of several, the fastest. `row`: one of its rows. Returns its points. */
static size_t find_curve(const struct merged *merged, const struct view *view, int x, const char *y,
                         struct knee_point best[KNEE_POINTS_MAX], size_t *row)
{
    struct view sorted = view_copy(view);
    struct view_column *axis, along = {.index = x};
    int axes = varying_axes(view, x, &axis);
    size_t most = 0;
    view_sort(&sorted, &along, false);
    for (int a = axes;
         a-- > 0;) /* sorting is stable: rows that are equal in all of these are adjacent, ordered by x */
        view_sort(&sorted, &axis[a], false);
    for (size_t first = 0, end; first < sorted.rows; first = end) {
        bool same = true;
        for (end = first + 1; end < sorted.rows; end++) {
            for (int a = 0; a < axes && same; a++)
                same = view_compare(&merged->all, &axis[a], sorted.row[first], sorted.row[end]) == 0;
            if (!same)
                break;
        }
        struct knee_point point[KNEE_POINTS_MAX];
        size_t count = take_points(merged, &sorted, first, end, x, y, point);
        if (count < most || !count || (count == most && top_of(point, count) <= top_of(best, most)))
            continue;
        most = count;
        *row = sorted.row[first];
        memcpy(best, point, sizeof point);
    }
    free(axis);
    view_free(&sorted);
    return most;
}

/* ---- Sentences ---- */

static void add_value(const struct column *header, double x, struct text *out)
{
    char value[64];
    print_human(header, (union cell){.integer = (int64_t)llround(x)}, value, sizeof value);
    text_add(out, "%s", value);
}

static void add_slope(const char *axis, double slope, struct text *out)
{
    if (fabs(slope) < LEVEL)
        text_add(out, "is level");
    else
        text_add(out, "%s as %s^%.2g", slope > 0 ? "rises" : "falls", axis, slope);
}

/* The first point from which on each is below the one before it by more than their intervals; `count`: there is none. */
static size_t falls_from(const struct knee_point *point, size_t count)
{
    size_t first = count;
    while (first > 1 && point[first - 1].high < point[first - 2].low)
        first--;
    return first;
}

static void add_sentence(const struct column *header, const char *what, const struct knee_point *point,
                         size_t count, const struct knee_fit *fit, const struct text *of, struct text *out)
{
    size_t falling = falls_from(point, count);
    text_add(out, " Along %s", header->name);
    if (of->length)
        text_add(out, " (%s)", of->data);
    text_add(out, " the %s ", what);
    if (!(fit->scatter <= SCATTER_MOST) && falling + 1 < count) {
        text_add(out, "falls with every step from ");
        add_value(header, point[falling].x, out);
        text_add(out, " on, along no line of so few pieces: points are %.2g %% from the nearest.",
                 100 * fit->scatter);
        return;
    }
    if (!(fit->scatter <= SCATTER_MOST)) {
        text_add(out, "follows no line of so few pieces: points are %.2g %% from the nearest.",
                 100 * fit->scatter);
        return;
    }
    for (int k = 0; k < fit->knees; k++) {
        const struct knee *knee = &fit->knee[k];
        add_slope(header->name, fit->slope[k], out);
        text_add(out, " up to ");
        add_value(header, knee->at, out);
        if (knee->low < knee->high) {
            text_add(out, " (95 %% interval ");
            add_value(header, knee->low, out);
            text_add(out, " to ");
            add_value(header, knee->high, out);
            text_add(out, ")");
        }
        text_add(out, ", then ");
    }
    add_slope(header->name, fit->slope[fit->knees], out);
    text_add(out, "%s; points are within %.2g %%.", fit->knees ? "" : " all along", 100 * fit->scatter);
}

void bends_describe(const struct merged *merged, const struct view *view, const char *y, struct text *out)
{
    struct view_column *axis;
    int axes = varying_axes(view, -1, &axis);
    for (int a = 0; a < axes; a++) {
        struct knee_point point[KNEE_POINTS_MAX];
        struct knee_fit fit;
        struct text of = {0};
        size_t row = 0;
        const struct column *header = view_header(&merged->all, &axis[a]);
        if (header->type != COLUMN_INTEGER)
            continue;
        size_t count = find_curve(merged, view, axis[a].index, y, point, &row);
        if (!knee_fit(point, count, &fit))
            continue;
        bends_describe_row(merged, view, row, header->name, &of);
        add_sentence(header, strcmp(y, COLUMN(flop_rate)) ? "bandwidth" : "rate", point, count, &fit, &of,
                     out);
        text_free(&of);
    }
    free(axis);
}
