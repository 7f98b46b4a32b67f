#include "figure/making.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figure/stated_law.h"
#include "table/print_text.h"

/* A rule at the knee of each law that all points of the panel keep. */
static void add_knees(const struct making *making, int part, int group, struct chart_panel *panel)
{
    for (int i = 0; i < FIGURE_LINES_MAX && making->figure->law[i] && panel->rules < CHART_RULES_MAX; i++) {
        struct stated_law stated;
        struct error ignored; /* figures_read has checked it */
        struct law_tally count = {0};
        if (stated_law_read(making->figure->law[i], &stated, &ignored) != 0 || !isfinite(stated.x))
            continue;
        for (int s = 0; s < making->data->count; s++)
            if (making->part[s] == part && making->group_index[making->data->series[s].group] == group)
                stated_law_count(&stated, making->merged, &making->data->series[s], &count);
        if (!stated_law_holds(&count))
            continue;
        struct chart_rule *rule = &panel->rule[panel->rules++];
        rule->x = stated.x;
        snprintf(rule->label, sizeof rule->label, "%s", stated.words);
    }
}

/* "device.l2_bytes L2": a rule at a column's value, if points lie on both sides of it. "run @what": its name is in the column
 * `what`. */
static void add_own(const struct making *making, const struct series *series, struct chart_panel *panel)
{
    for (int i = 0; i < FIGURE_LINES_MAX && making->figure->rule[i] && panel->rules < CHART_RULES_MAX; i++) {
        const char *words = making->figure->rule[i], *end = words + strcspn(words, " \t");
        char name[128], value[64];
        struct view_column column;
        struct error ignored;
        double low = INFINITY, high = 0;
        snprintf(name, sizeof name, "%.*s", (int)(end - words), words);
        if (view_find_column(&making->merged->all, name, &column, &ignored) != 0)
            continue;
        const struct column *header = view_header(&making->merged->all, &column);
        union cell cell = view_cell(&making->merged->all, series->view.row[0], &column);
        if (header->type != COLUMN_INTEGER || frame_is_missing(header, cell))
            continue;
        for (int c = 0; c < panel->curves; c++)
            for (size_t p = 0; p < panel->curve[c].points; p++) {
                low = fmin(low, panel->curve[c].point[p].x);
                high = fmax(high, panel->curve[c].point[p].x);
            }
        if (!(low < (double)cell.integer && (double)cell.integer < high))
            continue;
        struct chart_rule *rule = &panel->rule[panel->rules++];
        rule->x = (double)cell.integer;
        const char *name_of = end + strspn(end, " \t");
        print_human(header, cell, value, sizeof value);
        if (*name_of == '@')
            snprintf(rule->label, sizeof rule->label, "%s",
                     frame_find_text(&making->merged->all.results, series->view.row[0], name_of + 1));
        else
            snprintf(rule->label, sizeof rule->label, "%s %s", name_of, value);
    }
}

void rules_add(const struct making *making, int part, int group, const struct series *series,
               struct chart_panel *panel)
{
    add_knees(making, part, group, panel);
    add_own(making, series, panel);
}
