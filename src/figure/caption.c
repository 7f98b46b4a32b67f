#include "figure/caption.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure/finding.h"
#include "figure/stated_law.h"
#include "figure/roofs.h"
#include "output/mark.h"
#include "output/markup.h"
#include "table/throttled.h"

/* `all`: the rows compare all devices. `shown`: with the roofs of the points. */
static void add_device(const struct merged *merged, const struct figure_data *data, int group, bool all,
                       bool shown, struct text *out)
{
    const struct merge_group *one = &merged->group[group];
    struct figure_roof *roof = NULL;
    int roofs = 0;
    bool used = all;
    for (int s = 0; s < data->count; s++)
        if (data->series[s].group == group) {
            used = true;
            roofs_add(merged, &data->series[s], &roof, &roofs);
        }
    if (used) {
        text_add(out, " ");
        for (const char *at = one->caption; *at; at++) /* lines become clauses */
            text_add(out, *at != '\n' ? "%c" : at[1] ? ", " : "", *at);
        text_add(out, ", file %s", one->file);
        for (int r = 0; r < roofs && shown; r++) {
            text_add(out, "%s",
                     r                ? ", "
                     : one->predicted ? "; roofs from the profile: "
                                      : "; measured roofs: ");
            roof_describe(&roof[r], out);
        }
        text_add(out, ".");
    }
    free(roof);
}

static bool has_predicted(const struct merged *merged)
{
    for (int g = 0; g < merged->groups; g++)
        if (merged->group[g].predicted)
            return true;
    return false;
}

static bool has_bars(const struct chart *chart)
{
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++)
                if (isfinite(chart->panel[p].curve[c].point[i].low))
                    return true;
    return false;
}

static bool has_throttled(const struct chart *chart)
{
    for (int p = 0; p < chart->panels; p++)
        for (int c = 0; c < chart->panel[p].curves; c++)
            for (size_t i = 0; i < chart->panel[p].curve[c].points; i++)
                if (chart->panel[p].curve[c].point[i].throttled)
                    return true;
    return false;
}

static void add_bars(const struct figure *figure, const struct chart *chart, bool predicted, struct text *out)
{
    if (predicted)
        text_add(out, " Dashed and hollow: predicted by the time model, not measured.");
    if (!has_bars(chart))
        return;
    if (!figure->interval[0]) {
        text_add(out, " Bars: 95 %% intervals of the median time%s%s.",
                 chart->shares ? ", with the range of the roof where the file has one" : "",
                 predicted ? "; of predictions, the best and the worst case of the profile" : "");
        return;
    }
    text_add(out, " Bars:");
    for (int i = 2; figure->interval[i]; i++) {
        text_add(out, " ");
        for (const char *at = figure->interval[i]; *at; at++)
            text_add(out, "%c", *at == '_' ? ' ' : *at);
    }
    if (!figure->interval[2])
        text_add(out, " from %s to %s", figure->interval[0], figure->interval[1]);
    text_add(out, ".");
}

static struct law_tally count_all(const struct stated_law *stated, const struct merged *merged,
                                  const struct figure_data *data)
{
    struct law_tally count = {0};
    for (int s = 0; s < data->count; s++)
        stated_law_count(stated, merged, &data->series[s], &count);
    return count;
}

/* What follows from the laws that the counters keep at all points, and what the points show. */
static void add_findings(const struct figure *figure, const struct merged *merged,
                         const struct figure_data *data, struct text *out)
{
    for (int i = 0; i < FIGURE_LINES_MAX && figure->law[i]; i++) {
        struct stated_law stated;
        struct error ignored; /* figures_read has checked it */
        if (stated_law_read(figure->law[i], &stated, &ignored) != 0)
            continue;
        struct law_tally count = count_all(&stated, merged, data);
        if (stated_law_holds(&count))
            text_add(out, "%s ", stated.law->meaning);
    }
    for (int i = 0; i < FIGURE_LINES_MAX && figure->finding[i]; i++)
        finding_add(figure->finding[i], figure, merged, data, out);
}

static void add_laws(const struct figure *figure, const struct merged *merged, const struct figure_data *data,
                     struct text *out)
{
    for (int i = 0; i < FIGURE_LINES_MAX && figure->law[i]; i++) {
        struct stated_law stated;
        struct error ignored;
        if (stated_law_read(figure->law[i], &stated, &ignored) != 0)
            continue;
        struct law_tally count = count_all(&stated, merged, data);
        if (count.points)
            text_add(out, " Counters: %s = %s at %zu of %zu points; largest deviation %.2g %%.",
                     stated.law->quantity, stated.law->formula, count.within, count.points,
                     count.worst < 1e-6 ? 0 : 100 * count.worst);
    }
}

static bool is_cut(const struct chart *chart)
{
    for (int b = 0; b < chart->blocks; b++)
        if (chart->block[b].cut)
            return true;
    return false;
}

struct text caption_make(const struct figure *figure, const struct merged *merged,
                         const struct figure_data *data, const struct chart *chart, const char *remark,
                         bool brief)
{
    static const char *const of_all[] = {"ratios", "families", "heat"};
    struct text caption = {0};
    add_findings(figure, merged, data, &caption);
    text_add(&caption, "%s.", figure->title);
    if (data->conditions.length)
        text_add(&caption, " Fixed: %s.", data->conditions.data);
    if (*remark)
        text_add(&caption, " %s.", remark);
    if (figure->remark)
        text_add(&caption, " %s", figure->remark);
    if (chart->remark.length)
        text_add(&caption, "%s", chart->remark.data);
    if (is_cut(chart))
        text_add(&caption, " The y axis does not start at zero.");
    add_laws(figure, merged, data, &caption);
    add_bars(figure, chart, has_predicted(merged), &caption);
    if (has_throttled(chart))
        text_add(&caption, " Rings: %s.", throttled_meaning);
    if (chart->cut_bars == 1)
        text_add(&caption, " One point has an interval longer than the panel is high; it has no bar.");
    else if (chart->cut_bars)
        text_add(&caption, " %zu points have intervals longer than the panel is high; they have no bars.",
                 chart->cut_bars);
    if (chart->nested)
        text_add(&caption, " Where curves coincide, the lower ones are drawn wider.");
    if (chart->panel[chart->panels - 1].block > 0 && !figure->scales)
        text_add(&caption, " Above: shares of each point's own roof. Below: ratios of the rates themselves.");
    bool compares = false; /* the rows compare both files */
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
        compares = compares || (figure->table && !strcmp(figure->table, of_all[i]));
    if (!brief) {
        text_add(&caption, " %s:", has_predicted(merged) ? "Sources" : "Measured on");
        for (int g = 0; g < merged->groups; g++)
            add_device(merged, data, g, compares, chart->roofs, &caption);
    }
    mark_add(&caption);
    return caption;
}

/* `extension`: caption.txt, caption.tex or short.tex. */
static int write_one(const char *folder, const char *name, const char *extension, const char *caption,
                     struct error *error)
{
    struct text path = {0};
    text_add(&path, "%s/%s.%s", folder, name, extension);
    FILE *out = fopen(path.data, "w");
    bool failed = !out;
    if (out && !strcmp(extension, "short.tex")) {
        markup_print(out, MARKUP_LATEX, caption);
        fputs("\\unskip\n", out);
    } else if (out && !strcmp(extension, "caption.tex")) {
        fputs("% For \\caption[\\protect\\input{NAME.short}]{\\input{NAME.caption}}. A figure of --format "
              "epslatex or "
              "cairolatex needs\n% \\usepackage{graphicx,xcolor}, and \\graphicspath{{FOLDER/}} if it is in "
              "another "
              "folder than the document.\n",
              out);
        markup_print(out, MARKUP_LATEX, caption);
        fputs("\\unskip\n", out);
    } else if (out) {
        fprintf(out, "%s\n", caption);
    }
    if (out) {
        failed = ferror(out) != 0;
        failed = fclose(out) != 0 || failed;
    }
    if (failed)
        error_set(error, ERROR_ENVIRONMENT, "cannot write %s: %s", path.data, strerror(errno));
    text_free(&path);
    return failed ? -1 : 0;
}

int caption_write(const char *folder, const struct figure *figure, const char *caption, struct error *error)
{
    return write_one(folder, figure->name, "caption.txt", caption, error) != 0 ||
                   write_one(folder, figure->name, "caption.tex", caption, error) != 0
               ? -1
               : write_one(folder, figure->name, "short.tex", figure->title, error);
}
