/* The textbook's pairs as one table: what `report` tells at length. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/data/print.h"
#include "cli/data/view.h"
#include "cli/paper/sheets.h"
#include "cli/report/pair.h"

struct gathering {
    const struct source *source;
    struct sheet *sheet;
};

static void put_place(struct sheet *sheet, const struct instance *instance, size_t row)
{
    const struct pair *pair = instance->pair;
    struct text at = {0};
    for (int i = 0; pair->free[i]; i++) {
        struct view_column column;
        struct error ignored;
        char value[128];
        if (view_find_column(&instance->merged->all, pair->free[i], &column, &ignored) != 0)
            continue;
        print_human(view_header(&instance->merged->all, &column), view_cell(&instance->merged->all, row, &column), value,
                    sizeof value);
        text_add(&at, "%s%s %s", at.length ? ", " : "", pair->free[i], value);
    }
    sheet_text(sheet, "%s", at.length ? at.data : "");
    text_free(&at);
}

/* Half the width of an interval whose ends are quotients of the ends of two. */
static double half_of_quotient(const struct frame *results, size_t before, size_t after)
{
    double low = frame_find_real(results, before, "time_ci_low") / frame_find_real(results, after, "time_ci_high");
    double high = frame_find_real(results, before, "time_ci_high") / frame_find_real(results, after, "time_ci_low");
    return (high - low) / 2;
}

static void gather(const struct instance *instance, void *context)
{
    const struct gathering *gathering = context;
    const struct frame *results = &instance->merged->all.results;
    struct sheet *sheet = gathering->sheet;
    size_t before = instance->row[0], after = instance->row[1];
    double source = NAN, none;
    if (instance->cases != 2 || !source_is_ok(gathering->source, before) || !source_is_ok(gathering->source, after))
        return;
    const struct source_family as_time = {.quantity = QUANTITY_TIME};
    int group = merge_find_group(instance->merged, frame_find_text(results, before, MERGE_GROUP));
    for (const struct pair_quantity *q = instance->pair->quantity; q->label; q++)
        if (instance_is_time(q) && q->source[0].given && instance->source_counts)
            source = q->source[0].low / q->source[1].low;
    double from = source_value(gathering->source, &as_time, before, &none);
    double to = source_value(gathering->source, &as_time, after, &none);
    sheet_text(sheet, "%s", instance->pair->title);
    put_place(sheet, instance, before);
    sheet_text(sheet, "%s", group >= 0 ? gathering->source->label[group] : "");
    sheet_number(sheet, from, none);
    sheet_number(sheet, to, none);
    sheet_number(sheet, from / to, half_of_quotient(results, before, after));
    sheet_number(sheet, source, NAN);
}

struct sheet sheets_pairs(const struct source *source, const struct pair_table *pairs)
{
    struct sheet sheet = sheet_new("pairs", true);
    struct gathering gathering = {source, &sheet};
    sheet_head(&sheet, SHEET_WRAPS, "", "From, to");
    sheet_head(&sheet, SHEET_WRAPS, "", "at");
    sheet_head(&sheet, SHEET_WORDS, "", "Device");
    sheet_head(&sheet, SHEET_NUMBER, "us", "Before");
    sheet_head(&sheet, SHEET_NUMBER, "us", "After");
    sheet_head(&sheet, SHEET_NUMBER, "", "Speed-up");
    sheet_head(&sheet, SHEET_NUMBER, "", "Source's");
    for (int i = 0; i < pairs->count; i++)
        report_pair_visit(&source->merged, &pairs->pair[i], gather, &gathering);
    sheet_caption(&sheet,
                  "Before and after: times as measured, and the speed-up with half the width of its interval (of the quotients "
                  "of the ends of both times' 95 %% intervals). The source is %s; its figures are illustrative.",
                  pairs->source);
    return sheet;
}
