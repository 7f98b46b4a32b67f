#include "figure/making.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "table/print_text.h"

/* ---- Panels ---- */

static bool is_equal_on(const struct making *making, int axis, int s, int k)
{
    const struct view *a = &making->data->series[s].view, *b = &making->data->series[k].view;
    return view_compare(&making->merged->all, &a->column[1 + axis], a->row[0], b->row[0]) == 0;
}

/* Do two curves of a panel have the same name if it omits some axes? */
static bool have_equal_names(const struct making *making, int part, const bool *omit)
{
    for (int s = 0; s < making->data->count; s++)
        for (int k = 0; k < s; k++) {
            bool equal = making->part[s] == part && making->part[k] == part &&
                         making->data->series[s].group == making->data->series[k].group;
            for (int a = 0; making->figure->series[a] && equal; a++)
                equal = omit[a] || is_equal_on(making, a, s, k);
            if (equal)
                return true;
        }
    return false;
}

/* The axes that the names of a panel's curves omit: later axes first. */
static void omit_axes(const struct making *making, int part, bool omit[FIGURE_NAMES_MAX])
{
    int axes = 0;
    for (; making->figure->series[axes]; axes++)
        omit[axes] = axes == making->split;
    for (int a = axes; a-- > 0;) {
        if (omit[a])
            continue;
        omit[a] = true;
        omit[a] = !have_equal_names(making, part, omit);
    }
}

/* Number the panels of an axis in the order of the curves. Returns their number. */
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

/* The largest number of curves of one device in a panel. */
static int curves_per_panel(const struct making *making)
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

void split_choose(struct making *making, bool dots)
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
    if (dots || curves_per_panel(making) <= CHART_CURVES_MAX)
        return;
    for (int a = 0; making->figure->series[a]; a++) {
        int parts = number_parts(making, a), most = curves_per_panel(making);
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

/* ---- Labels and styles ---- */

void split_name_value(const struct merged *merged, const struct view *view, int axis, struct text *out)
{
    static const char *const vague[] = {"yes", "no", "on", "off", "none", "default", "auto", NULL};
    const struct view_column *column = &view->column[1 + axis];
    char value[96];
    print_human(view_header(&merged->all, column), view_cell(&merged->all, view->row[0], column), value,
                sizeof value);
    bool named = isdigit((unsigned char)*value);
    for (int i = 0; vague[i]; i++)
        named = named || !strcmp(vague[i], value);
    text_add(out, "%s%s%s%s", out->length ? " " : "", named ? column->name : "", named ? " " : "", value);
}

static int slot_of(const struct making *making, const struct view *view, int axis)
{
    const struct view_column *column = &view->column[1 + axis];
    union cell cell = view_cell(&making->merged->all, view->row[0], column);
    const struct column *header = view_header(&making->merged->all, column);
    return header->type == COLUMN_TEXT      ? style_slot(making->slots, column->name, cell.text)
           : header->type == COLUMN_INTEGER ? style_slot_of_number(cell.integer)
                                            : style_slot_of_number((int64_t)cell.real);
}

void split_name_curve(const struct making *making, int s, struct chart_curve *curve)
{
    const struct view *view = &making->data->series[s].view;
    struct text label = {0};
    int slot = -1, second = 0, last = 0;
    bool omit[FIGURE_NAMES_MAX];
    omit_axes(making, making->part[s], omit);
    for (int a = 0; making->figure->series[a]; a++) {
        last = a;
        if (omit[a])
            continue;
        split_name_value(making->merged, view, a, &label);
        if (slot < 0)
            slot = slot_of(making, view, a);
        else
            second = second * 2 + slot_of(making, view, a);
    }
    if (slot < 0) { /* one curve per panel */
        while (last > 0 && last == making->split)
            last--;
        split_name_value(making->merged, view, last, &label);
        slot = slot_of(making, view, last);
    }
    snprintf(curve->label, sizeof curve->label, "%s", label.data);
    text_free(&label);
    curve->style = style_of(slot, second);
}
