#include "analysis/pair.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/result.h"
#include "kernels/registry.h"
#include "table/where.h"

#define CONDITION 256 /* room for "axis=value" */

/* ---- Finding the points ---- */

/* False when the file has no such column or value, so no such point. */
static bool keep_all(struct view *view, const char *const *conditions)
{
    struct error ignored;
    for (int i = 0; conditions[i]; i++)
        if (where_keep_one(view, conditions[i], &ignored) != 0)
            return false;
    return view->rows > 0;
}

static bool names_axis(const char *const *conditions, const char *axis)
{
    size_t length = strlen(axis);
    for (; *conditions; conditions++)
        if (!strncmp(*conditions, axis, length) && ((*conditions)[length] == '=' || !(*conditions)[length]))
            return true;
    return false;
}

static bool case_names_axis(const struct pair *pair, const char *axis)
{
    for (int i = 0; pair->cases[i].label; i++)
        if (names_axis(pair->cases[i].where, axis))
            return true;
    return false;
}

/* An axis that other families of the file have may have been added to this family after the file was written. */
static bool has_values(const struct view *view, const char *axis)
{
    const struct frame *results = &view->dataset->results;
    int column = frame_find(results, axis);
    for (size_t i = 0; column >= 0 && i < view->rows; i++)
        if (!frame_is_missing(&results->column[column], *frame_cell(results, view->row[i], column)))
            return true;
    return false;
}

/* Axes that the pair does not mention are at their standard values. Axes that the kernel did not have when the file was
 * written are ignored. */
static void pin_to_standard(struct view *view, const struct pair *pair)
{
    const struct family *family = family_find(pair->kernel);
    struct error ignored;
    for (int i = 0; family && i < family->space.count; i++) {
        const struct axis *axis = &family->space.axes[i];
        char condition[CONDITION];
        if (names_axis(pair->where, axis->name) || names_axis(pair->free, axis->name) ||
            case_names_axis(pair, axis->name) || !has_values(view, axis->name))
            continue;
        snprintf(condition, sizeof condition, "%s=%s", axis->name, axis->standard);
        where_keep_one(view, condition, &ignored);
    }
}

/* The rows of the pair's kernel, of all cases. */
static struct view rows_of_pair(const struct merged *merged, const struct pair *pair)
{
    struct view view = view_new(&merged->all);
    struct error ignored;
    view_keep_points(&view);
    if (where_keep_kernel(&view, pair->kernel, &ignored) != 0 || !keep_all(&view, pair->where))
        view.rows = 0;
    if (view.rows)
        pin_to_standard(&view, pair);
    return view;
}

/* Whether two rows belong to one table: same device, and equal in every free axis. */
static bool belong_together(const struct merged *merged, const struct pair *pair, size_t row, size_t other)
{
    struct view_column column;
    struct error ignored;
    if (strcmp(merge_text(merged, row, MERGE_GROUP), merge_text(merged, other, MERGE_GROUP)) != 0)
        return false;
    for (int i = 0; pair->free[i]; i++)
        if (view_find_column(&merged->all, pair->free[i], &column, &ignored) == 0 &&
            view_compare(&merged->all, &column, row, other) != 0)
            return false;
    return true;
}

/* Of the case's rows in the same table as `row` the first measured one, else the first; or SIZE_MAX. */
static size_t partner(const struct merged *merged, const struct pair *pair, const struct view *rows,
                      size_t row)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < rows->rows; i++) {
        if (!belong_together(merged, pair, row, rows->row[i]))
            continue;
        if (status_is_ok(merge_text(merged, rows->row[i], COLUMN(status))))
            return rows->row[i];
        found = found == SIZE_MAX ? rows->row[i] : found;
    }
    return found;
}

/* ---- Going through the tables ---- */

static bool source_counts(const struct merged *merged, const struct pair *pair, size_t row)
{
    struct view view = view_new(&merged->all);
    view.rows = 1;
    view.row[0] = row;
    bool counts = keep_all(&view, pair->source_where);
    view_free(&view);
    return counts;
}

static bool measured_on_host(const struct merged *merged, size_t row)
{
    int group = merge_find_group(merged, merge_text(merged, row, MERGE_GROUP));
    return group >= 0 && merged->group[group].on_host;
}

/* Whether the useful bytes of every case fit in L2; false when something is unknown. */
static bool fits_l2(const struct instance *instance)
{
    const struct dataset *all = &instance->merged->all;
    struct view_column l2;
    struct error ignored;
    if (view_find_column(all, COLUMN_OF_DEVICE(l2_bytes), &l2, &ignored) != 0)
        return false;
    for (int i = 0; i < instance->cases; i++) {
        size_t row = instance->row[i];
        if (row == SIZE_MAX)
            continue;
        double bytes = frame_find_real(&all->results, row, COLUMN(bytes_read)) +
                       frame_find_real(&all->results, row, COLUMN(bytes_written));
        if (!(bytes <= (double)view_cell(all, row, &l2).integer))
            return false;
    }
    return true;
}

static int go_through(const struct merged *merged, const struct pair *pair, const struct view *rows,
                      int cases, void (*each)(const struct instance *, void *context), void *context)
{
    int shown = 0;
    for (size_t i = 0; i < rows[0].rows; i++) {
        struct instance instance = {.merged = merged, .pair = pair, .cases = cases};
        size_t row = rows[0].row[i];
        int found = 0;
        if (partner(merged, pair, &rows[0], row) != row)
            continue; /* another row of the first case represents this table */
        for (int c = 0; c < cases; c++) {
            instance.row[c] = partner(merged, pair, &rows[c], row);
            found += instance.row[c] != SIZE_MAX;
        }
        if (found < 2)
            continue;
        shown++;
        instance.source_counts = source_counts(merged, pair, row);
        instance.on_host = measured_on_host(merged, row);
        instance.in_l2 = fits_l2(&instance);
        each(&instance, context);
    }
    return shown;
}

int pair_each(const struct merged *merged, const struct pair *pair,
              void (*each)(const struct instance *, void *context), void *context)
{
    struct view rows[PAIR_CASES_MAX], all = rows_of_pair(merged, pair);
    int cases = 0, shown = 0;
    for (int i = PAIR_CONDITIONS_MAX; i-- > 0;) {
        struct view_column column;
        struct error ignored;
        if (all.rows && pair->free[i] &&
            view_find_column(&merged->all, pair->free[i], &column, &ignored) == 0)
            view_sort(&all, &column, false);
    }
    for (; pair->cases[cases].label; cases++) {
        rows[cases] = view_copy(&all);
        if (!keep_all(&rows[cases], pair->cases[cases].where))
            rows[cases].rows = 0;
    }
    if (rows[0].rows)
        shown = go_through(merged, pair, rows, cases, each, context);
    for (int i = 0; i < cases; i++)
        view_free(&rows[i]);
    view_free(&all);
    return shown;
}
