#include "figure/layout/script.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/markup.h"

/* ---- gnuplot syntax ---- */

/* A single-quoted string, in which only the quote is special. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    fputc('\'', out);
}

/* A text of the page. For LaTeX the size is set by a command, because gnuplot interprets a leading brace. */
static void put_text(FILE *out, const char *text, double points, bool latex)
{
    char *escaped = NULL;
    size_t size = 0;
    if (!latex) {
        put_quoted(out, text);
        return;
    }
    FILE *memory = open_memstream(&escaped, &size);
    fprintf(memory, "\\fontsize{%g}{%g}\\selectfont ", points, points);
    markup_print(memory, MARKUP_LATEX, text);
    fclose(memory);
    put_quoted(out, escaped);
    free(escaped);
}

static void put_variable(FILE *out, const char *name, const char *value)
{
    fprintf(out, "%s = ", name);
    put_quoted(out, value);
    fputc('\n', out);
}

static void put_colour(FILE *out, int colour)
{
    if (colour < 0)
        fputs("palette_grey", out);
    else
        fprintf(out, "palette_colour[%d]", colour + 1);
}

/* ---- The data ---- */

static int close_written(FILE *out, const char *path, struct error *error)
{
    bool failed = ferror(out);
    if (fclose(out) != 0 || failed)
        return error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path, strerror(errno));
    return 0;
}

static void put_cell(FILE *out, const struct column *column, union cell cell)
{
    if (column->type == COLUMN_TEXT)
        fprintf(out, "\t%s", *cell.text ? cell.text : "-");
    else if (frame_is_missing(column, cell))
        fputs("\tnan", out);
    else if (column->type == COLUMN_INTEGER)
        fprintf(out, "\t%lld", (long long)cell.integer);
    else
        fprintf(out, "\t%.17g", cell.real);
}

static void put_curve(FILE *out, const struct script *script, const struct chart_panel *panel,
                      const struct chart_curve *curve)
{
    const struct scale *x = &script->chart->x, *y = &script->chart->block[panel->block].y;
    const struct scale *of = script->chart->across ? x : y; /* the interval */
    const struct view *view = curve->view;
    fputs("x\ty\tlow\thigh", out);
    for (int i = 0; view && i < view->columns; i++)
        fprintf(out, "\t%s", view->column[i].name);
    fputc('\n', out);
    for (size_t i = 0; i < curve->points; i++) {
        const struct chart_point *point = &curve->point[i];
        bool bar = isfinite(point->low) && isfinite(point->high);
        double none = script->chart->across ? point->x : point->y;
        fprintf(out, "%.9g\t%.9g\t%.9g\t%.9g", scale_coordinate(x, point->x), scale_coordinate(y, point->y),
                scale_coordinate(of, bar ? point->low : none),
                scale_coordinate(of, bar ? point->high : none));
        for (int k = 0; view && k < view->columns; k++)
            put_cell(out, view_header(view->dataset, &view->column[k]),
                     view_cell(view->dataset, point->row, &view->column[k]));
        fputc('\n', out);
    }
}

int script_write_data(const char *path, const struct script *script, struct error *error)
{
    FILE *out = fopen(path, "w");
    bool first = true;
    if (!out)
        return error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path, strerror(errno));
    for (int p = 0; p < script->chart->panels; p++)
        for (int c = 0; c < script->chart->panel[p].curves; c++, first = false) {
            fputs(first ? "" : "\n\n", out);
            put_curve(out, script, &script->chart->panel[p], &script->chart->panel[p].curve[c]);
        }
    return close_written(out, path, error);
}

/* ---- The page ---- */

static void put_curves(FILE *out, const struct chart *chart)
{
    int count = 0, i = 0;
    for (int p = 0; p < chart->panels; p++)
        count += chart->panel[p].curves;
    fprintf(out,
            "all_curves = %d\narray label[%d]\narray colour[%d]\narray mark[%d]\narray dash[%d]\narray "
            "lined[%d]\narray fill[%d]\narray tint[%d]\narray wide[%d]\n",
            count, count, count, count, count, count, count, count, count);
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++) {
            const struct chart_curve *curve = &chart->panel[p].curve[c];
            i++;
            fprintf(out, "label[%d] = ", i);
            put_quoted(out, curve->label);
            fprintf(out,
                    "; colour[%d] = palette_colour[%d]; mark[%d] = %d; dash[%d] = %d; lined[%d] = %d; "
                    "fill[%d] = palette_fill[%d]; tint[%d] = palette_tint[%d]; wide[%d] = %.3g\n",
                    i, curve->style.colour + 1, i, curve->style.mark, i, curve->style.dash + 1, i,
                    curve->line, i, curve->style.colour + 1, i, curve->style.colour + 1, i, curve->wide);
        }
}

/* A cell with its shade; an area with its tint, and then its pattern. */
static void put_area(FILE *out, const struct layout *layout, const struct layout_mark *mark)
{
    const int i = mark->style.colour + 1;
    for (int pattern = 0; pattern < (mark->cell > 0 ? 1 : 2); pattern++) {
        if (pattern)
            fprintf(out, "if (palette_fill[%d] != 3) ", i);
        fprintf(
            out,
            "set object rectangle from screen %.5f, screen %.5f to screen %.5f, screen %.5f linewidth 0.4 "
            "fillcolor rgb ",
            (mark->x - LAYOUT_AREA / 2) / layout->width, (mark->y - LAYOUT_AREA / 4) / layout->height,
            (mark->x + LAYOUT_AREA / 2) / layout->width, (mark->y + LAYOUT_AREA / 4) / layout->height);
        if (mark->cell > 0)
            fprintf(out, "cell_shade(%.9g) fillstyle solid 1", mark->cell);
        else if (pattern)
            fprintf(out, "palette_colour[%d] fillstyle transparent pattern palette_fill[%d]", i, i);
        else
            fprintf(out, "palette_tint[%d] fillstyle solid 1", i);
        fputs(" border linecolor rgb '#222222'\n", out);
    }
}

static void put_keys(FILE *out, const struct layout *layout)
{
    /* In EPS an arrow's dash brings a colour of its own, but for linetype 1. */
    for (size_t i = 0; i < layout->strokes; i++) {
        const struct layout_stroke *stroke = &layout->stroke[i];
        fprintf(out,
                "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead linetype 1 "
                "linecolor rgb ",
                stroke->x0 / layout->width, stroke->y0 / layout->height, stroke->x1 / layout->width,
                stroke->y1 / layout->height);
        put_colour(out, stroke->style.colour);
        fprintf(out, " linewidth %s dashtype %d\n", stroke->thin ? "0.6" : "curve_width",
                stroke->style.colour < 0 ? 3 : stroke->style.dash + 1);
    }
    for (size_t i = 0; i < layout->marks; i++) {
        const struct layout_mark *mark = &layout->mark[i];
        if (mark->area) {
            put_area(out, layout, mark);
            continue;
        }
        fprintf(
            out,
            "set label '' at screen %.5f, screen %.5f point pointtype %d pointsize mark_size linecolor rgb ",
            mark->x / layout->width, mark->y / layout->height, mark->style.mark);
        put_colour(out, mark->style.colour);
        fputs(" front\n", out);
    }
}

/* With the last panel: a panel covers what was drawn with earlier ones. */
static void put_texts(FILE *out, const struct layout *layout, bool latex)
{
    static const char *const aligns[] = {"left", "center", "right"};
    for (size_t i = 0; i < layout->texts; i++) {
        const struct layout_text *text = &layout->text[i];
        fputs("set label ", out);
        put_text(out, text->text, layout_points(text->role), latex);
        fprintf(out, " at screen %.5f, screen %.5f %s %s font ',%g' textcolor rgb ", text->x / layout->width,
                text->y / layout->height, aligns[text->align + 1], text->turned ? "rotate" : "norotate",
                layout_points(text->role));
        if (text->colour >= 0 || text->role == TEXT_LINE) /* a roof's name is as grey as its line */
            put_colour(out, text->colour);
        else
            fputs("'#000000'", out);
        fputs(" front\n", out);
    }
}

/* ---- A panel ---- */

static void put_axis(FILE *out, char name, const struct scale *scale)
{
    static const int base[] = {
        [SCALE_LOG2] = 2, [SCALE_LOG10] = 10, [SCALE_LINEAR] = 0, [SCALE_LOG2_1] = 0, [SCALE_NAMES] = 0};
    fprintf(out, "unset logscale %c\n", name);
    if (base[scale->kind])
        fprintf(out, "set logscale %c %d\n", name, base[scale->kind]);
    fprintf(out, "set %crange [%.9g:%.9g]\nset %ctics (", name, scale_coordinate(scale, scale->low),
            scale_coordinate(scale, scale->high), name);
    for (int i = 0; i < scale->ticks; i++)
        fprintf(out, "%s'' %.9g", i ? ", " : "", scale_coordinate(scale, scale->tick[i].at));
    fputs(")\n", out);
}

/* Around each point whose clock was held down, whatever the figure plots it with. */
static void put_rings(FILE *out, const struct script *script, const struct chart_panel *panel)
{
    const struct scale *x = &script->chart->x, *y = &script->chart->block[panel->block].y;
    for (int c = 0; c < panel->curves; c++)
        for (size_t i = 0; i < panel->curve[c].points; i++)
            if (panel->curve[c].point[i].throttled)
                fprintf(out,
                        "set label '' at first %.9g, first %.9g point pointtype 6 pointsize (2.2 * "
                        "mark_size) linewidth 0.7 linecolor rgb '#222222' front\n",
                        scale_coordinate(x, panel->curve[c].point[i].x),
                        scale_coordinate(y, panel->curve[c].point[i].y));
}

static void put_panel(FILE *out, const struct script *script, int p, int first)
{
    const struct chart_panel *panel = &script->chart->panel[p];
    const struct layout_panel *at = &script->layout->panel[p];
    const struct scale *y = &script->chart->block[panel->block].y;
    double width = script->layout->width, height = script->layout->height;
    fprintf(out, "\npanel = %d; block = %d; first = %d; last = %d\n", p + 1, panel->block + 1, first,
            first + panel->curves - 1);
    fprintf(
        out,
        "set lmargin at screen %.5f; set rmargin at screen %.5f; set bmargin at screen %.5f; set tmargin at "
        "screen %.5f\n",
        at->left / width, at->right / width, at->bottom / height, at->top / height);
    put_axis(out, 'x', &at->x);
    put_axis(out, 'y', y);
    for (int l = 0; l < panel->lines; l++)
        fprintf(
            out,
            "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead back linetype 1 linecolor rgb "
            "palette_grey "
            "linewidth 0.8 dashtype 3\n",
            scale_coordinate(y, panel->line[l].y), scale_coordinate(y, panel->line[l].y));
    for (int r = 0; r < panel->rules; r++)
        fprintf(out,
                "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead back linetype 1 linecolor "
                "rgb palette_grey linewidth 0.8 dashtype 3\n",
                scale_coordinate(&at->x, panel->rule[r].x), scale_coordinate(&at->x, panel->rule[r].x));
    put_rings(out, script, panel);
    if (p == script->chart->panels - 1)
        put_texts(out, script->layout, strstr(script->format, "latex") != NULL);
    if (script->figure->path) {
        fputs("load ", out);
        put_quoted(out, script->figure->path);
    } else {
        fprintf(out, "plot @%s", script->chart->dots ? "dots" : "curves");
    }
    fputs("\nunset label; unset arrow; unset object\n", out);
}

int script_write(const char *path, const struct script *script, struct error *error)
{
    FILE *out = fopen(path, "w");
    int first = 1;
    if (!out)
        return error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path, strerror(errno));
    put_variable(out, "format", script->format);
    put_variable(out, "output", script->file);
    put_variable(out, "analysis", script->analysis);
    put_variable(out, "data", script->data);
    fprintf(out, "width = %.5f; height = %.5f\npanels = %d\nreach = %.9g\nload analysis.'/style.gp'\n",
            script->layout->width, script->layout->height, script->chart->panels, script->chart->reach);
    put_curves(out, script->chart);
    fputs("set multiplot\n", out);
    put_keys(out, script->layout);
    for (int p = 0; p < script->chart->panels; p++) {
        put_panel(out, script, p, first);
        first += script->chart->panel[p].curves;
    }
    fputs("unset multiplot\nset output\n", out);
    return close_written(out, path, error);
}
