#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/pair.h"
#include "base/text.h"
#include "core/result.h"
#include "table/throttled.h"

static void describe(const struct instance *instance, struct text *out)
{
    const struct pair *pair = instance->pair;
    size_t row = SIZE_MAX;
    for (int i = 0; i < instance->cases && row == SIZE_MAX; i++)
        row = instance->row[i];
    text_add(out, "%s", merge_text(instance->merged, row, MERGE_GROUP));
    instance_place(instance, row, out);
    for (int i = 0; pair->where[i]; i++) {
        const char *equals = strchr(pair->where[i], '=');
        if (strchr(equals, ','))
            continue; /* several values: the free axis names the one */
        text_add(out, ", %.*s %s", (int)(equals - pair->where[i]), pair->where[i], equals + 1);
    }
}

/* A row for each quantity: source and measurement, before and after. */
static void print_two(struct document *document, const struct instance *instance)
{
    static const char alignment[] = "lrrrrl";
    const struct pair_case *cases = instance->pair->cases;
    document_table_begin(document, alignment, NULL);
    document_cell(document, "quantity");
    for (int i = 0; i < 2; i++)
        document_cell(document, "source, illustrative: %s", cases[i].label);
    for (int i = 0; i < 2; i++)
        document_cell(document, "measured: %s", cases[i].label);
    document_cell(document, "measured change");
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
    document_table_begin(document, alignment, NULL);
    document_cell(document, "case");
    for (quantity = instance->pair->quantity; quantity->label; quantity++) {
        if (quantity->source[0].given)
            document_cell(document, "source, illustrative: %s, %s", quantity->label, quantity->unit);
        document_cell(document, "measured: %s, %s", quantity->label, quantity->unit);
    }
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
    double speedup = frame_find_real(results, before, COLUMN(time_median)) /
                     frame_find_real(results, after, COLUMN(time_median));
    if (isnan(speedup))
        return;
    double low = frame_find_real(results, before, COLUMN(time_ci_low)) /
                 frame_find_real(results, after, COLUMN(time_ci_high));
    double high = frame_find_real(results, before, COLUMN(time_ci_high)) /
                  frame_find_real(results, after, COLUMN(time_ci_low));
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
    const char *status = frame_find_text(results, row, COLUMN(status)),
               *message = frame_find_text(results, row, COLUMN(message));
    if (!status_is_ok(status))
        document_paragraph(document, "%s: %s: %s", name, status, message);
    else if (*message)
        document_paragraph(document, "%s: %s", name, message);
    else
        document_paragraph(document, "%s: a dash means not measured or not counted.", name);
}

static bool is_about_gpus(const struct instance *instance)
{
    for (const struct pair_quantity *q = instance->pair->quantity; q->label; q++)
        if (q->source[0].given && instance->source_counts)
            return true;
    return false;
}

/* Reasons why agreement or contradiction may mean little. */
static void print_caveats(struct document *document, const struct instance *instance)
{
    bool excused = false;
    if (instance->on_host && is_about_gpus(instance))
        document_paragraph(document,
                           "Measured on a CPU: not compared with the source, which measured a GPU.");
    for (const struct pair_quantity *q = instance->pair->quantity; q->label && instance->cases == 2; q++)
        excused = excused || instance_excused_by_l2(instance, q);
    for (int i = 0; i < instance->cases; i++)
        if (instance->row[i] != SIZE_MAX && throttled_row(&instance->merged->all.results, instance->row[i]))
            document_paragraph(document, "%s: %s.", instance->pair->cases[i].label, throttled_meaning);
    if (excused)
        document_paragraph(document, "The bytes of these points fit in the device's L2: quantities that "
                                     "depend on DRAM may differ from the source.");
}

/* What the numbers do not show: failed points, missing counters, how the source counts. */
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

static void print_table(struct document *document, const struct instance *instance)
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

struct printing {
    struct document *document;
    bool headed;
};

static void print_instance(const struct instance *instance, void *context)
{
    struct printing *printing = context;
    const struct pair *pair = instance->pair;
    if (!printing->headed)
        document_heading(printing->document, 2, "%s%s%s: %s", pair->table ? pair->table : "",
                         pair->table ? ", " : "", pair->kernel, pair->title);
    printing->headed = true;
    print_table(printing->document, instance);
}

int report_pair(struct document *document, const struct merged *merged, const struct pair *pair)
{
    return pair_each(merged, pair, print_instance, &(struct printing){document, false});
}
