#include "figure/layout/values.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/text.h"
#include "output/markup.h"

#define FILE_SIZE_MAX ((size_t)64 << 20)
#define RADIUS        4.0     /* pixels */
#define AREA_HALF     0.33    /* of the distance between names; as `stacks` in analysis/style.gp */
#define LINE_END      "&#10;" /* a line end that survives in an attribute and in a text */

/* ---- Texts ---- */

static void put_text(FILE *out, const char *text)
{
    char clean[512];
    size_t length = 0;
    for (; *text && length + 1 < sizeof clean; text++)
        clean[length++] = (unsigned char)*text < 0x20 ? ' ' : *text; /* XML has no control characters */
    clean[length] = '\0';
    markup_print(out, MARKUP_HTML, clean);
}

/* "Bandwidth (TB/s)" has the unit "TB/s", `length` bytes of the result; NULL: there is none. `*name`: length of the name. */
static const char *split_unit(const char *label, int *name, int *length)
{
    size_t all = strlen(label);
    const char *open = all && label[all - 1] == ')' ? strrchr(label, '(') : NULL;
    bool has = open && open > label + 1 && open[-1] == ' ';
    *name = has ? (int)(open - 1 - label) : (int)all;
    *length = has ? (int)(label + all - 1 - (open + 1)) : 0;
    return has ? open + 1 : NULL;
}

static void format_value(const struct scale *scale, double value, char *out, size_t size)
{
    double at = scale_coordinate(scale, value);
    if (scale->kind == SCALE_NAMES && at >= -0.5 && at < scale->ticks - 0.5)
        snprintf(out, size, "%s", scale->tick[(int)lround(at)].label);
    else if (scale->bytes && value >= 0 && value == floor(value) && value < 0x1p62)
        text_format_bytes((int64_t)value, out, size);
    else
        snprintf(out, size, "%.4g", value);
}

/* "Bandwidth: 4.29 (4.28 to 4.3) TB/s", or of an area "Time: 2 to 3 s". */
static void put_quantity(FILE *out, const char *label, const struct scale *scale, double value,
                         const double interval[2], bool area)
{
    char text[128], line[512];
    int name, length;
    const char *unit = split_unit(label, &name, &length);
    bool bare = !unit || scale->kind == SCALE_NAMES || scale->bytes || !strncmp(unit, "1)", 2);
    format_value(scale, value, text, sizeof text);
    if (interval && area)
        snprintf(text, sizeof text, "%.4g to %.4g", interval[0], interval[1]);
    int used = snprintf(line, sizeof line, "%.*s: %s", name > 200 ? 200 : name, label, text);
    if (interval && !area && isfinite(interval[0]) && isfinite(interval[1]))
        used +=
            snprintf(line + used, sizeof line - (size_t)used, " (%.4g to %.4g)", interval[0], interval[1]);
    if (!bare)
        snprintf(line + used, sizeof line - (size_t)used, " %.*s", length > 60 ? 60 : length, unit);
    fputs(LINE_END, out);
    put_text(out, line);
}

static void put_title(FILE *out, const struct chart *chart, const struct chart_panel *panel,
                      const struct layout_panel *at, const struct chart_curve *curve,
                      const struct chart_point *point)
{
    const struct chart_block *block = &chart->block[panel->block];
    const double interval[2] = {point->low, point->high};
    bool area = chart->areas && isfinite(point->low) && isfinite(point->high);
    fputs("<title>", out);
    put_text(out, *curve->label ? curve->label : panel->title);
    if (*chart->x_label)
        put_quantity(out, chart->x_label, &at->x, point->x, chart->across ? interval : NULL, area);
    if (*block->label && !chart->named) /* a name along y only tells which curve it is */
        put_quantity(out, block->label, &block->y, point->y, chart->across ? NULL : interval, false);
    if (chart->cells && isfinite(point->value))
        fprintf(out, LINE_END "%.4g", point->shown);
    if (chart->cells && isfinite(point->spread))
        fprintf(out, " ± %.2g", point->spread);
    if (point->throttled)
        fputs(LINE_END "The clock was throttled.", out);
    fputs("</title>", out);
}

/* ---- Places, in pixels from the upper left corner ---- */

static double x_of(const struct layout_panel *at, double value)
{
    return VALUES_RESOLUTION * (at->left + scale_position(&at->x, value) * (at->right - at->left));
}

static double y_of(const struct layout *layout, const struct layout_panel *at, const struct scale *y,
                   double value)
{
    return VALUES_RESOLUTION *
           (layout->height - (at->bottom + scale_position(y, value) * (at->top - at->bottom)));
}

static bool is_inside(const struct layout *layout, double x, double y)
{
    return x >= 0 && x <= VALUES_RESOLUTION * layout->width && y >= 0 &&
           y <= VALUES_RESOLUTION * layout->height;
}

static void put_point(FILE *out, const struct chart *chart, const struct layout *layout, int p,
                      const struct chart_curve *curve, const struct chart_point *point)
{
    const struct chart_panel *panel = &chart->panel[p];
    const struct layout_panel *at = &layout->panel[p];
    const struct scale *y = &chart->block[panel->block].y;
    double px = x_of(at, point->x), py = y_of(layout, at, y, point->y);
    if (!is_inside(layout, px, py)) /* false for NaN, too */
        return;
    if (chart->areas && isfinite(point->low) && isfinite(point->high)) {
        double from = x_of(at, point->low), to = x_of(at, point->high),
               top = y_of(layout, at, y, point->y + AREA_HALF),
               bottom = y_of(layout, at, y, point->y - AREA_HALF);
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">", fmin(from, to),
                fmin(top, bottom), fabs(to - from), fabs(bottom - top));
        put_title(out, chart, panel, at, curve, point);
        fputs("</rect>\n", out);
        return;
    }
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\">", px, py, RADIUS);
    put_title(out, chart, panel, at, curve, point);
    fputs("</circle>\n", out);
}

static void put_values(FILE *out, const struct chart *chart, const struct layout *layout)
{
    size_t points = 0;
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++)
            points += chart->panel[p].curve[c].points;
    if (points > VALUES_POINTS_MAX)
        return;
    fputs(VALUES_BEGIN " fill=\"#fff\" fill-opacity=\"0\">\n", out);
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++)
                put_point(out, chart, layout, p, &chart->panel[p].curve[c],
                          &chart->panel[p].curve[c].point[i]);
    fputs(VALUES_END "\n", out);
}

int values_add(const char *path, const struct chart *chart, const struct layout *layout, struct error *error)
{
    size_t size, added;
    char *values = NULL, *drawing = io_read_file(path, FILE_SIZE_MAX, &size, error), *end = NULL;
    if (!drawing)
        return -1;
    for (char *next = drawing; (next = strstr(next, "</svg>")); next++)
        end = next;
    FILE *memory = open_memstream(&values, &added);
    fwrite(drawing, 1, end ? (size_t)(end - drawing) : size, memory);
    put_values(memory, chart, layout);
    fputs(end ? end : "", memory);
    fclose(memory);
    int failed = io_replace_file(path, values, added, error);
    free(values);
    free(drawing);
    return failed;
}
