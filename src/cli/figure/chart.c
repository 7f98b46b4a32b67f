#include "cli/figure/chart.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/data/heads.h"
#include "cli/data/print.h"
#include "cli/figure/roofs.h"

/* What is known while a chart is made. */
struct making {
    const struct figure *figure;
    const struct merged *merged;
    const struct figure_data *data;
    const struct looks *looks;
    bool normalise, names_devices, across;
    const char *y;                   /* the column of y */
    double scale;                    /* what y is divided by: 1e9 for GB/s */
    int split;                       /* the series' axis that panels are of; -1: none */
    int *part;                       /* of each series: the number of its panel along `split` */
    int parts, groups, *group_index; /* of devices that have curves; by merged group, -1: it has none */
    enum roof_kind none;
};

/* ---- Numbers of rows ---- */

static double number_at(const struct frame *frame, size_t row, const char *name)
{
    int column = frame_find(frame, name);
    if (column < 0 || frame->column[column].type == COLUMN_TEXT)
        return NAN;
    union cell cell = frame_row(frame, row)[column];
    if (frame_is_missing(&frame->column[column], cell))
        return NAN;
    return frame->column[column].type == COLUMN_INTEGER ? (double)cell.integer : cell.real;
}

/* The ends of the bar at a row: those that the figure names; those of the time's interval, which a rate shares. */
static void interval_at(const struct making *making, size_t row, double y, double ends[2])
{
    const struct frame *frame = &making->merged->all.results;
    const struct figure *figure = making->figure;
    int column = frame_find(frame, making->y);
    ends[0] = ends[1] = NAN;
    if (figure->interval[0] && figure->interval[1]) {
        ends[0] = number_at(frame, row, figure->interval[0]);
        ends[1] = number_at(frame, row, figure->interval[1]);
    } else if (frame->column[column].role == ROLE_RATE) {
        double median = number_at(frame, row, "time_median");
        ends[0] = y * median / number_at(frame, row, "time_ci_high");
        ends[1] = y * median / number_at(frame, row, "time_ci_low");
    }
    if (making->across ? !(ends[0] <= ends[1]) : !(ends[0] <= y && y <= ends[1])) /* also what is missing */
        ends[0] = ends[1] = NAN;
}

/* ---- What is y called, and in which unit? ---- */

static void choose_unit(struct making *making, double top, char *label, size_t size)
{
    const struct frame *frame = &making->merged->all.results;
    const struct column *column = &frame->column[frame_find(frame, making->y)];
    making->scale = 1;
    if (making->figure->names) { /* y is no quantity */
        snprintf(label, size, "%s", making->figure->y_label ? making->figure->y_label : "");
        return;
    }
    struct head head = heads_of(column, making->y, NAN);
    const char *unit = column->unit;
    making->scale = 1;
    if (!strncmp(column->name, "fraction_", strlen("fraction_"))) {
        making->scale = 0.01;
        unit = "%";
    } else if (!strcmp(unit, "bytes/s")) {
        making->scale = top >= 9999e9 ? 1e12 : 1e9; /* numbers of four digits are read at a glance */
        unit = top >= 9999e9 ? "TB/s" : "GB/s";
    } else if (!strcmp(unit, "flop/s")) {
        making->scale = top >= 1e12 ? 1e12 : 1e9;
        unit = top >= 1e12 ? "TFLOP/s" : "GFLOP/s";
    } else if (!strcmp(unit, "s")) {
        making->scale = top >= 1 ? 1 : top >= 1e-3 ? 1e-3 : 1e-6;
        unit = top >= 1 ? "s" : top >= 1e-3 ? "ms" : "µs";
    } else if (!strcmp(unit, "Hz")) {
        making->scale = 1e6;
        unit = "MHz";
    }
    if (making->figure->y_label && !making->normalise)
        snprintf(label, size, "%s", making->figure->y_label);
    else
        snprintf(label, size, "%s (%s)", head.name, *unit ? unit : "1");
}

static double top_of(const struct making *making)
{
    double top = 0;
    for (int s = 0; s < making->data->count; s++) {
        const struct view *view = &making->data->series[s].view;
        for (size_t i = 0; i < view->rows; i++)
            top = fmax(top, number_at(&making->merged->all.results, view->row[i], making->y));
    }
    return top;
}

/* ---- Which panels? ---- */

static bool is_equal_on(const struct making *making, int axis, int s, int k)
{
    const struct view *a = &making->data->series[s].view, *b = &making->data->series[k].view;
    return view_compare(&making->merged->all, &a->column[1 + axis], a->row[0], b->row[0]) == 0;
}

/* Would two curves of a panel have the same name without the axes that are `mute`? */
static bool are_confused(const struct making *making, int part, const bool *mute)
{
    for (int s = 0; s < making->data->count; s++)
        for (int k = 0; k < s; k++) {
            bool equal = making->part[s] == part && making->part[k] == part &&
                         making->data->series[s].group == making->data->series[k].group;
            for (int a = 0; making->figure->series[a] && equal; a++)
                equal = mute[a] || is_equal_on(making, a, s, k);
            if (equal)
                return true;
        }
    return false;
}

/* The axes that the names of a panel's curves do without: the later ones first. */
static void silence(const struct making *making, int part, bool mute[FIGURE_NAMES_MAX])
{
    int axes = 0;
    for (; making->figure->series[axes]; axes++)
        mute[axes] = axes == making->split;
    for (int a = axes; a-- > 0;) {
        if (mute[a])
            continue;
        mute[a] = true;
        mute[a] = !are_confused(making, part, mute);
    }
}

/* Number the panels that an axis would make, in the order of the curves; returns how many. */
static int number_parts(struct making *making, int axis)
{
    int parts = 0;
    for (int s = 0; s < making->data->count; s++) {
        const struct view *view = &making->data->series[s].view;
        int k = 0;
        while (k < s && (axis >= 0 && view_compare(&making->merged->all, &view->column[1 + axis],
                                                   view->row[0], making->data->series[k].view.row[0]) != 0))
            k++;
        making->part[s] = k < s ? making->part[k] : parts++;
    }
    return parts;
}

/* The most curves of a device in one panel. */
static int fullest(const struct making *making)
{
    int most = 0;
    for (int s = 0; s < making->data->count; s++) {
        int count = 0;
        for (int k = 0; k < making->data->count; k++)
            count += making->part[k] == making->part[s] &&
                     making->data->series[k].group == making->data->series[s].group;
        most = count > most ? count : most;
    }
    return most;
}

/* The axis that makes the fewest panels of at most CHART_CURVES_MAX curves; or that leaves the fewest in one. */
static void choose_split(struct making *making, bool dots)
{
    int least = 0, fewest = 0;
    making->split = -1;
    making->parts = number_parts(making, -1);
    for (int a = 0; making->figure->series[a]; a++)
        if (making->figure->panel && !strcmp(making->figure->panel, making->figure->series[a])) {
            making->split = a;
            making->parts = number_parts(making, a);
            return;
        }
    if (dots || fullest(making) <= CHART_CURVES_MAX)
        return;
    for (int a = 0; making->figure->series[a]; a++) {
        int parts = number_parts(making, a), most = fullest(making);
        int excess = most > CHART_CURVES_MAX ? most : 0;
        if (parts < 2)
            continue;
        if (making->split < 0 || excess < least || (excess == least && parts < fewest)) {
            making->split = a;
            least = excess;
            fewest = parts;
        }
    }
    making->parts = number_parts(making, making->split);
}

/* ---- Labels and looks ---- */

/* "items 4", "restrict yes", but "load" and "f32": words that say by themselves what they are. */
static void name_value(const struct merged *merged, const struct view *view, int axis, struct text *out)
{
    static const char *const mute[] = {"yes", "no", "on", "off", "none", "default", "auto", NULL};
    const struct view_column *column = &view->column[1 + axis];
    char value[96];
    print_human(view_header(&merged->all, column), view_cell(&merged->all, view->row[0], column), value,
                sizeof value);
    bool named = isdigit((unsigned char)*value);
    for (int i = 0; mute[i]; i++)
        named = named || !strcmp(mute[i], value);
    text_add(out, "%s%s%s%s", out->length ? " " : "", named ? column->name : "", named ? " " : "", value);
}

static int slot_of(const struct making *making, const struct view *view, int axis)
{
    const struct view_column *column = &view->column[1 + axis];
    union cell cell = view_cell(&making->merged->all, view->row[0], column);
    const struct column *header = view_header(&making->merged->all, column);
    return header->type == COLUMN_TEXT      ? looks_slot(making->looks, column->name, cell.text)
           : header->type == COLUMN_INTEGER ? looks_slot_of_number(cell.integer)
                                            : looks_slot_of_number((int64_t)cell.real);
}

static void name_curve(const struct making *making, int s, struct chart_curve *curve)
{
    const struct view *view = &making->data->series[s].view;
    struct text label = {0};
    int slot = -1, second = 0, last = 0;
    bool mute[FIGURE_NAMES_MAX];
    silence(making, making->part[s], mute);
    for (int a = 0; making->figure->series[a]; a++) {
        last = a;
        if (mute[a])
            continue;
        name_value(making->merged, view, a, &label);
        if (slot < 0)
            slot = slot_of(making, view, a);
        else
            second = second * 2 + slot_of(making, view, a);
    }
    if (slot < 0) { /* one curve a panel */
        while (last > 0 && last == making->split)
            last--;
        name_value(making->merged, view, last, &label);
        slot = slot_of(making, view, last);
    }
    snprintf(curve->label, sizeof curve->label, "%s", label.data);
    text_free(&label);
    curve->look = looks_of(slot, second);
}

/* ---- Panels ---- */

static void fill_curve(const struct making *making, int s, struct chart_curve *curve)
{
    const struct frame *frame = &making->merged->all.results;
    const struct view *view = &making->data->series[s].view;
    const char *place = making->figure->place ? making->figure->place : making->figure->x;
    name_curve(making, s, curve);
    curve->view = view;
    curve->line = !strcmp(frame_find_text(frame, view->row[0], "lined"), "yes");
    curve->point = memory_new(view->rows, sizeof *curve->point);
    for (size_t i = 0; i < view->rows; i++) {
        struct chart_point point = {.x = number_at(frame, view->row[i], place),
                                    .y = number_at(frame, view->row[i], making->y),
                                    .row = view->row[i]};
        double ends[2];
        if (!isfinite(point.x) || !isfinite(point.y))
            continue;
        interval_at(making, view->row[i], point.y, ends);
        point.low = ends[0] / (making->across ? 1 : making->scale);
        point.high = ends[1] / (making->across ? 1 : making->scale);
        point.value =
            *making->figure->columns ? number_at(frame, view->row[i], making->figure->columns[0]) : NAN;
        point.y /= making->scale;
        curve->point[curve->points++] = point;
    }
}

static struct chart_panel *add_panel(struct chart *chart)
{
    chart->panel = memory_resize(chart->panel, (size_t)chart->panels + 1, sizeof *chart->panel);
    chart->panel[chart->panels] = (struct chart_panel){0};
    return &chart->panel[chart->panels++];
}

static struct chart_curve *add_curve(struct chart_panel *panel)
{
    panel->curve = memory_resize(panel->curve, (size_t)panel->curves + 1, sizeof *panel->curve);
    panel->curve[panel->curves] = (struct chart_curve){0};
    return &panel->curve[panel->curves++];
}

static struct chart_line *add_line(struct chart_panel *panel, double y)
{
    panel->line = memory_resize(panel->line, (size_t)panel->lines + 1, sizeof *panel->line);
    panel->line[panel->lines] = (struct chart_line){.y = y};
    return &panel->line[panel->lines++];
}

static void name_line(struct chart_line *line, const char *label, size_t name)
{
    snprintf(line->label, sizeof line->label, "%s", label);
    line->brief = name + 1 < strlen(line->label) ? name + 1 : 0;
}

/* "DRAM read 4170 GB/s", and "4170 GB/s" for short: the caption has the name, too. */
static void add_roofs(const struct making *making, const struct figure_roof *roof, int roofs, bool flop,
                      struct chart_panel *panel)
{
    for (int r = 0; r < roofs; r++) {
        struct text name = {0};
        if (roof_is_flop(roof[r].kind) != flop)
            continue;
        roof_describe(&roof[r], &name);
        name_line(add_line(panel, roof[r].rate / making->scale), name.data, strlen(roof_name(roof[r].kind)));
        text_free(&name);
    }
}

/* "100 measured roof", or "mean geometric mean": a column that has one value, which the name then ends with. */
static void add_own_line(const struct making *making, const char *line, struct chart_panel *panel)
{
    char *rest, column[128];
    struct text name = {0};
    double y = strtod(line, &rest);
    size_t length = strcspn(line, " \t");
    if (rest == line) {
        snprintf(column, sizeof column, "%.*s", (int)length, line);
        y = number_at(&making->merged->all.results, making->data->series[0].view.row[0], column);
        rest = (char *)line + length;
        text_add(&name, "%s %.4g", rest + strspn(rest, " \t"), y);
    } else {
        text_add(&name, "%s", rest + strspn(rest, " \t"));
    }
    if (isfinite(y))
        name_line(add_line(panel, y / making->scale), name.data, SIZE_MAX - 1);
    text_free(&name);
}

static void add_lines(const struct making *making, const struct figure_roof *roof, int roofs,
                      struct chart_panel *panel)
{
    const char *kind = making->figure->roof;
    if (making->normalise) {
        name_line(add_line(panel, 100), "measured roof", strlen("measured"));
        return;
    }
    for (int i = 0; i < FIGURE_LINES_MAX && making->figure->line[i]; i++)
        add_own_line(making, making->figure->line[i], panel);
    if (!kind)
        kind = !strcmp(making->y, "bandwidth") ? "byte" : !strcmp(making->y, "flop_rate") ? "flop" : "none";
    if (strcmp(kind, "none") != 0)
        add_roofs(making, roof, roofs, !strcmp(kind, "flop"), panel);
}

/* A device's name without its maker where that leaves it unique; and the value of the axis that panels are of. */
static void name_panel(const struct making *making, const struct series *series, struct chart_panel *panel)
{
    const char *device = making->merged->group[series->group].label;
    struct text title = {0};
    if (making->split >= 0)
        name_value(making->merged, &series->view, making->split, &title);
    if (making->merged->groups > 1 && making->names_devices)
        text_add(&title, "%s%s", title.length ? ", " : "",
                 !strncmp(device, "NVIDIA ", 7) ? device + 7 : device);
    snprintf(panel->title, sizeof panel->title, "%s", title.length ? title.data : "");
    text_free(&title);
}

static void make_panel(const struct making *making, int part, int group, struct chart *chart)
{
    struct chart_panel *panel = NULL;
    struct figure_roof *roof = NULL;
    int roofs = 0;
    for (int s = 0; s < making->data->count; s++) {
        const struct series *series = &making->data->series[s];
        if (making->part[s] != part || making->group_index[series->group] != group)
            continue;
        if (!panel) {
            panel = add_panel(chart);
            name_panel(making, series, panel);
        }
        struct chart_curve *curve = add_curve(panel);
        fill_curve(making, s, curve);
        if (!curve->points) {
            free(curve->point);
            panel->curves--;
            continue;
        }
        roofs_add(making->merged, series, &roof, &roofs);
    }
    if (panel && panel->curves)
        add_lines(making, roof, roofs, panel);
    else if (panel) {
        free(panel->curve);
        chart->panels--;
    }
    free(roof);
}

/* The same curve has the same looks in all panels; different ones differ. */
static void tell_curves_apart(struct chart *chart)
{
    struct chart_curve **known = memory_new(1, sizeof *known);
    struct look *look = memory_new(1, sizeof *look);
    int count = 0;
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++) {
            struct chart_curve *curve = &chart->panel[p].curve[c];
            int k = 0;
            while (k < count && strcmp(known[k]->label, curve->label) != 0)
                k++;
            if (k == count) {
                known = memory_resize(known, (size_t)count + 1, sizeof *known);
                look = memory_resize(look, (size_t)count + 1, sizeof *look);
                known[count] = curve;
                look[count] = curve->look;
                looks_make_unique(look, count++);
            }
            curve->look = look[k];
        }
    free(known);
    free(look);
}

/* ---- Ratios ---- */

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

/* Bandwidths, not shares, of one device by those of the first; the interval is that of independent times. */
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
        double ratio = number_at(frame, b->row, rate) / number_at(frame, a->row, rate);
        double up = hypot(b->high / b->y - 1, 1 - a->low / a->y),
               down = hypot(1 - b->low / b->y, a->high / a->y - 1);
        if (isfinite(ratio))
            curve->point[curve->points++] =
                (struct chart_point){b->x, ratio, ratio * (1 - down), ratio * (1 + up), NAN, b->row};
    }
}

static void add_ratios(const struct making *making, struct chart *chart)
{
    int above = chart->panels;
    bool any = false;
    for (int p = 0; p < above; p++) {
        if (p % making->groups == 0)
            continue;
        struct chart_panel *panel = add_panel(chart);
        const struct chart_panel *first =
            &chart->panel[p - p % making->groups]; /* adding may have moved it */
        struct text title = {0};
        text_add(&title, "%.75s / %.75s", chart->panel[p].title, first->title);
        snprintf(panel->title, sizeof panel->title, "%s", title.data);
        text_free(&title);
        panel->block = 1;
        panel->breaks = !any;
        for (int c = 0; c < chart->panel[p].curves; c++) {
            struct chart_curve *curve = add_curve(panel);
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
        add_line(panel, 1);
        any = true;
    }
    if (any) {
        chart->blocks = 2;
        snprintf(chart->block[1].label, sizeof chart->block[1].label, "Ratio (1)");
    }
}

/* ---- Axes ---- */

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
    enum { MOST = 256 };
    const char *name[MOST];
    int count = 0;
    for (int i = 0; i < MOST; i++)
        name[i] = "";
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++) {
                const struct chart_point *point = &chart->panel[p].curve[c].point[i];
                int at = (int)lround(along_x ? point->x : point->y);
                if (at < 0 || at >= MOST)
                    continue;
                name[at] = frame_find_text(frame, point->row, column);
                count = at + 1 > count ? at + 1 : count;
            }
    scale_name(scale, name, count);
}

static void fit_x(const struct making *making, struct chart *chart)
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

static void fit_y(const struct making *making, int b, struct chart *chart)
{
    struct chart_block *block = &chart->block[b];
    const bool is_ratio = making->normalise && b > 0;
    const char *kind = is_ratio ? "linear" : making->figure->y_scale;
    const struct frame *frame = &making->merged->all.results;
    bool rate = !is_ratio && frame->column[frame_find(frame, making->y)].role == ROLE_RATE;
    double low = INFINITY, high = -INFINITY;
    for (int p = 0; p < chart->panels; p++) {
        const struct chart_panel *panel = &chart->panel[p];
        if (panel->block != b)
            continue;
        for (int l = 0; l < panel->lines; l++) {
            low = fmin(low, panel->line[l].y);
            high = fmax(high, panel->line[l].y);
        }
        for (int c = 0; c < panel->curves; c++)
            for (size_t i = 0; i < panel->curve[c].points; i++) {
                const struct chart_point *point = &panel->curve[c].point[i];
                low = fmin(low, chart->across ? point->y : fmin(point->y, point->low));
                high = fmax(high, chart->across ? point->y : fmax(point->y, point->high));
            }
    }
    if (!is_ratio && making->figure->names) {
        name_places(making, chart, false, making->figure->names, &block->y);
        return;
    }
    block->y.kind = kind                                            ? scale_named(kind)
                    : rate && hides_most(chart, b, high) && low > 0 ? SCALE_LOG10
                                                                    : SCALE_LINEAR;
    block->from_zero = rate && block->y.kind == SCALE_LINEAR && low >= 0;
    block->y.low = block->from_zero ? 0 : low;
    block->y.high = high;
    if (!block->from_zero)
        scale_widen(&block->y, 0.06, 0.06);
    else
        block->y.high *= 1.04;
}

/* ---- The whole ---- */

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
    return !strcmp(y, "bandwidth") || !strcmp(y, "flop_rate");
}

int chart_build(const struct figure *figure, const struct merged *merged, const struct figure_data *data,
                const struct looks *looks, const struct chart_options *options, struct chart *chart,
                struct error *why)
{
    struct making making = {.figure = figure, .merged = merged, .data = data, .looks = looks, .y = figure->y};
    *chart = (struct chart){.blocks = 1, .dots = figure->draw && strcmp(figure->draw, "curves") != 0};
    chart->cells = figure->draw && !strcmp(figure->draw, "cells");
    chart->across = chart->cells || (figure->draw && !strcmp(figure->draw, "across"));
    making.across = chart->across;
    making.normalise = options->normalise && is_rate_of_roof(figure->y);
    if (making.normalise)
        making.y = "fraction_peak";
    if (frame_find(&merged->all.results, making.y) < 0)
        return error_set(why, ERROR_USAGE, "no file has the column %s", making.y), 0;
    making.part = memory_new((size_t)data->count, sizeof *making.part);
    making.group_index = memory_new((size_t)merged->groups + 1, sizeof *making.group_index);
    count_groups(&making);
    making.names_devices = !figure->table || making.groups > 1;
    choose_split(&making, chart->dots);
    choose_unit(&making, top_of(&making), chart->block[0].label, sizeof chart->block[0].label);
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
    if (making.normalise && !own && making.groups > 1 && chart->panels == making.parts * making.groups)
        add_ratios(&making, chart);
    if (chart->panels) {
        tell_curves_apart(chart);
        fit_x(&making, chart);
        for (int b = 0; b < chart->blocks; b++)
            fit_y(&making, b, chart);
        snprintf(chart->x_label, sizeof chart->x_label, "%s", figure->x_label ? figure->x_label : figure->x);
    } else {
        error_set(why, ERROR_USAGE, "no point has a %s", making.y);
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
