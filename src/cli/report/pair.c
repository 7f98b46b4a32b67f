#include "cli/report/pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/data/print.h"
#include "cli/report/instance.h"
#include "cli/data/view.h"
#include "core/result.h"
#include "kernels/registry.h"

#define CONDITION 256 /* room for "axis=value" */

/* ---- Finding the points ---- */

static bool keep_point(const struct view *view, size_t row, void *context)
{
    const int *repeat = context;
    return frame_row(&view->dataset->results, row)[*repeat].integer == 0;
}

/* False when the file has no such column or value: there is no such point then. */
static bool keep_all(struct view *view, const char *const *conditions)
{
    struct error ignored;
    for (int i = 0; conditions[i]; i++)
        if (view_keep_where(view, conditions[i], &ignored) != 0)
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

/* Axes that the pair says nothing about are at their standard values. An axis that the file does not have
 * binds nothing. */
static void pin_to_standard(struct view *view, const struct pair *pair)
{
    const struct family *family = family_find(pair->kernel);
    struct error ignored;
    for (int i = 0; family && i < family->space.count; i++) {
        const struct axis *axis = &family->space.axes[i];
        char condition[CONDITION];
        if (names_axis(pair->where, axis->name) || names_axis(pair->free, axis->name) ||
            case_names_axis(pair, axis->name))
            continue;
        snprintf(condition, sizeof condition, "%s=%s", axis->name, axis->standard);
        view_keep_where(view, condition, &ignored);
    }
}

/* The rows of the kernel that the pair is about, whatever case they belong to. */
static struct view rows_of_pair(const struct merged *merged, const struct pair *pair)
{
    struct view view = view_new(&merged->all);
    struct error ignored;
    int repeat = frame_find(&merged->all.results, "repeat");
    if (repeat >= 0)
        view_keep(&view, keep_point, &repeat);
    if (view_keep_kernel(&view, pair->kernel, &ignored) != 0 || !keep_all(&view, pair->where))
        view.rows = 0;
    if (view.rows)
        pin_to_standard(&view, pair);
    return view;
}

static struct view copy_of(const struct view *view)
{
    struct view copy = {.dataset = view->dataset, .rows = view->rows};
    copy.row = memory_new(view->rows + 1, sizeof *copy.row);
    memcpy(copy.row, view->row, view->rows * sizeof *copy.row);
    return copy;
}

/* Whether two rows are of one table: the same device, and equal in every free axis. */
static bool belong_together(const struct merged *merged, const struct pair *pair, size_t row, size_t other)
{
    struct view_column column;
    struct error ignored;
    if (strcmp(frame_find_text(&merged->all.results, row, MERGE_GROUP),
               frame_find_text(&merged->all.results, other, MERGE_GROUP)) != 0)
        return false;
    for (int i = 0; pair->free[i]; i++)
        if (view_find_column(&merged->all, pair->free[i], &column, &ignored) == 0 &&
            view_compare(&merged->all, &column, row, other) != 0)
            return false;
    return true;
}

/* Of the case's rows that belong with `row`, the first that was measured, else the first; or SIZE_MAX. */
static size_t partner(const struct merged *merged, const struct pair *pair, const struct view *rows,
                      size_t row)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < rows->rows; i++) {
        if (!belong_together(merged, pair, row, rows->row[i]))
            continue;
        if (!strcmp(frame_find_text(&merged->all.results, rows->row[i], "status"), status_words[STATUS_OK]))
            return rows->row[i];
        found = found == SIZE_MAX ? rows->row[i] : found;
    }
    return found;
}

/* ---- Printing ---- */

static void describe(const struct instance *instance, struct text *out)
{
    const struct pair *pair = instance->pair;
    size_t row = SIZE_MAX;
    for (int i = 0; i < instance->cases && row == SIZE_MAX; i++)
        row = instance->row[i];
    text_add(out, "%s", frame_find_text(&instance->merged->all.results, row, MERGE_GROUP));
    for (int i = 0; pair->free[i]; i++) {
        struct view_column column;
        struct error ignored;
        char value[128];
        if (view_find_column(&instance->merged->all, pair->free[i], &column, &ignored) != 0)
            continue;
        print_human(view_header(&instance->merged->all, &column),
                    view_cell(&instance->merged->all, row, &column), value, sizeof value);
        text_add(out, ", %s %s", pair->free[i], value);
    }
    for (int i = 0; pair->where[i]; i++) {
        const char *equals = strchr(pair->where[i], '=');
        if (strchr(equals, ','))
            continue; /* a choice of values: a free axis has told which */
        text_add(out, ", %.*s %s", (int)(equals - pair->where[i]), pair->where[i], equals + 1);
    }
}

/* A row for each quantity: source and measurement, before and after. */
static void print_two(struct document *document, const struct instance *instance)
{
    static const char alignment[] = "lrrrrl";
    const struct pair_case *cases = instance->pair->cases;
    document_table_begin(document, alignment);
    document_cell(document, "quantity");
    for (int i = 0; i < 2; i++)
        document_cell(document, "source, illustrative: %s", cases[i].label);
    for (int i = 0; i < 2; i++)
        document_cell(document, "measured: %s", cases[i].label);
    document_cell(document, "measured change");
    document_header_end(document, alignment);
    for (const struct pair_quantity *quantity = instance->pair->quantity; quantity->label; quantity++) {
        char text[160];
        document_cell(document, "%s%s%s", quantity->label, *quantity->unit ? ", " : "", quantity->unit);
        for (int i = 0; i < 2; i++) {
            instance_format_source(instance, quantity, i, text, sizeof text);
            document_cell(document, "%s", text);
        }
        for (int i = 0; i < 2; i++) {
            instance_format_value(instance, quantity, i, text, sizeof text);
            document_cell(document, "%s", text);
        }
        instance_change(instance, quantity, text, sizeof text);
        document_cell(document, "%s", text);
        document_row_end(document);
    }
    document_table_end(document);
}

/* A row for each case. */
static void print_many(struct document *document, const struct instance *instance)
{
    char alignment[2 + 2 * PAIR_QUANTITIES_MAX] = "l", text[160];
    size_t width = 1;
    const struct pair_quantity *quantity;
    for (quantity = instance->pair->quantity; quantity->label; quantity++)
        for (int columns = quantity->source[0].given ? 2 : 1; columns > 0; columns--)
            alignment[width++] = 'r';
    document_table_begin(document, alignment);
    document_cell(document, "case");
    for (quantity = instance->pair->quantity; quantity->label; quantity++) {
        if (quantity->source[0].given)
            document_cell(document, "source, illustrative: %s, %s", quantity->label, quantity->unit);
        document_cell(document, "measured: %s, %s", quantity->label, quantity->unit);
    }
    document_header_end(document, alignment);
    for (int i = 0; i < instance->cases; i++) {
        document_cell(document, "%s", instance->pair->cases[i].label);
        for (quantity = instance->pair->quantity; quantity->label; quantity++) {
            if (quantity->source[0].given) {
                instance_format_source(instance, quantity, i, text, sizeof text);
                document_cell(document, "%s", text);
            }
            instance_format_value(instance, quantity, i, text, sizeof text);
            document_cell(document, "%s", text);
        }
        document_row_end(document);
    }
    document_table_end(document);
}

static void print_speedup(struct document *document, const struct instance *instance)
{
    const struct frame *results = &instance->merged->all.results;
    const struct pair_quantity *time = instance->pair->quantity;
    size_t before = instance->row[0], after = instance->row[1];
    while (time->label && !instance_is_time(time))
        time++;
    double speedup =
        frame_find_real(results, before, "time_median") / frame_find_real(results, after, "time_median");
    if (isnan(speedup))
        return;
    double low =
        frame_find_real(results, before, "time_ci_low") / frame_find_real(results, after, "time_ci_high");
    double high =
        frame_find_real(results, before, "time_ci_high") / frame_find_real(results, after, "time_ci_low");
    char source[64] = "";
    if (time->label && time->source[0].given && instance->source_counts)
        snprintf(source, sizeof source, "; the source's is %.3g", time->source[0].low / time->source[1].low);
    document_paragraph(document, "Speed-up: %.4g (intervals: %.4g to %.4g)%s.", speedup, low, high, source);
}

static void print_order(struct document *document, const struct instance *instance)
{
    int order[2][PAIR_CASES_MAX];
    bool known[2];
    struct text line = {0};
    for (int side = 0; side < 2; side++) {
        known[side] = instance_order(instance, side == 1, order[side]);
        if (!known[side])
            continue;
        text_add(&line, "%s%s: ", side && known[0] ? "; " : "", side ? "measured" : "source");
        for (int i = 0; i < instance->cases; i++)
            text_add(&line, "%s%s", i ? ", " : "", instance->pair->cases[order[side][i]].label);
    }
    bool same = !memcmp(order[0], order[1], (size_t)instance->cases * sizeof **order);
    if (known[1])
        document_paragraph(document, "Ascending %s: %s.%s", instance->pair->quantity->label, line.data,
                           !known[0] || instance->on_host ? ""
                           : same                         ? " The order is the source's."
                                                          : " This CONTRADICTS the order of the source.");
    text_free(&line);
}

static bool lacks_a_number(const struct instance *instance, int which)
{
    for (const struct pair_quantity *q = instance->pair->quantity; q->label; q++)
        if (isnan(instance_value(instance, q, which)))
            return true;
    return false;
}

/* Why a case has dashes. */
static void print_why(struct document *document, const struct instance *instance, int which)
{
    const struct frame *results = &instance->merged->all.results;
    const char *name = instance->pair->cases[which].label;
    size_t row = instance->row[which];
    if (row == SIZE_MAX) {
        document_paragraph(document, "%s: no such point in the files; %s measures it.", name,
                           instance->pair->job);
        return;
    }
    const char *status = frame_find_text(results, row, "status"),
               *message = frame_find_text(results, row, "message");
    if (strcmp(status, status_words[STATUS_OK]) != 0)
        document_paragraph(document, "%s: %s: %s", name, status, message);
    else if (*message)
        document_paragraph(document, "%s: %s", name, message);
    else
        document_paragraph(document, "%s: a dash was not measured, or not counted.", name);
}

static bool is_about_gpus(const struct instance *instance)
{
    for (const struct pair_quantity *q = instance->pair->quantity; q->label; q++)
        if (q->source[0].given && instance->source_counts)
            return true;
    return false;
}

/* Why a contradiction, or its absence, may mean little. */
static void print_caveats(struct document *document, const struct instance *instance)
{
    bool excused = false;
    if (instance->on_host && is_about_gpus(instance))
        document_paragraph(document, "Measured on a CPU: not compared with the source, whose figures are a "
                                     "GPU's.");
    for (const struct pair_quantity *q = instance->pair->quantity; q->label && instance->cases == 2; q++)
        excused = excused || instance_excused_by_l2(instance, q);
    if (excused)
        document_paragraph(document, "The bytes that these points have to move fit in the device's L2: what "
                                     "depends on DRAM need not go the source's way here.");
}

/* What the numbers do not say: points that failed, counters that are not there, how the source counts. */
static void print_remarks(struct document *document, const struct instance *instance)
{
    print_caveats(document, instance);
    for (int i = 0; i < instance->cases; i++)
        if (lacks_a_number(instance, i))
            print_why(document, instance, i);
    for (const struct pair_quantity *q = instance->pair->quantity; q->label; q++)
        if (q->remark && instance->source_counts)
            document_paragraph(document, "%s: %s.", q->label, q->remark);
}

static void print_instance(struct document *document, const struct instance *instance)
{
    struct text what = {0};
    describe(instance, &what);
    document_heading(document, 3, "%s", what.data);
    text_free(&what);
    if (instance->cases == 2) {
        print_two(document, instance);
        if (instance->row[0] != SIZE_MAX && instance->row[1] != SIZE_MAX)
            print_speedup(document, instance);
    } else {
        print_many(document, instance);
        print_order(document, instance);
    }
    print_remarks(document, instance);
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
    int group = merge_find_group(merged, frame_find_text(&merged->all.results, row, MERGE_GROUP));
    return group >= 0 && merged->group[group].on_host;
}

/* Whether the useful bytes of every case there are fit in L2; not when something is unknown. */
static bool fits_l2(const struct instance *instance)
{
    const struct dataset *all = &instance->merged->all;
    struct view_column l2;
    struct error ignored;
    if (view_find_column(all, "device.l2_bytes", &l2, &ignored) != 0)
        return false;
    for (int i = 0; i < instance->cases; i++) {
        size_t row = instance->row[i];
        if (row == SIZE_MAX)
            continue;
        double bytes = frame_find_real(&all->results, row, "bytes_read") +
                       frame_find_real(&all->results, row, "bytes_written");
        if (!(bytes <= (double)view_cell(all, row, &l2).integer))
            return false;
    }
    return true;
}

static int print_instances(struct document *document, const struct merged *merged, const struct pair *pair,
                           const struct view *rows, int cases)
{
    int shown = 0;
    for (size_t i = 0; i < rows[0].rows; i++) {
        struct instance instance = {.merged = merged, .pair = pair, .cases = cases};
        size_t row = rows[0].row[i];
        int found = 0;
        if (partner(merged, pair, &rows[0], row) != row)
            continue; /* another row of the first case stands for this table */
        for (int c = 0; c < cases; c++) {
            instance.row[c] = partner(merged, pair, &rows[c], row);
            found += instance.row[c] != SIZE_MAX;
        }
        if (found < 2)
            continue;
        if (!shown++)
            document_heading(document, 2, "%s%s%s: %s", pair->table ? pair->table : "",
                             pair->table ? ", " : "", pair->kernel, pair->title);
        instance.source_counts = source_counts(merged, pair, row);
        instance.on_host = measured_on_host(merged, row);
        instance.in_l2 = fits_l2(&instance);
        print_instance(document, &instance);
    }
    return shown;
}

int report_pair(struct document *document, const struct merged *merged, const struct pair *pair)
{
    struct view rows[PAIR_CASES_MAX], all = rows_of_pair(merged, pair);
    int cases = 0, shown = 0;
    for (int i = PAIR_CONDITIONS_MAX; i-- > 0;) {
        struct view_column column;
        struct error ignored;
        if (all.rows && pair->free[i] &&
            view_find_column(&merged->all, pair->free[i], &column, &ignored) == 0)
            view_sort(&all, &column);
    }
    for (; pair->cases[cases].label; cases++) {
        rows[cases] = copy_of(&all);
        if (!keep_all(&rows[cases], pair->cases[cases].where))
            rows[cases].rows = 0;
    }
    if (rows[0].rows)
        shown = print_instances(document, merged, pair, rows, cases);
    for (int i = 0; i < cases; i++)
        view_free(&rows[i]);
    view_free(&all);
    return shown;
}
