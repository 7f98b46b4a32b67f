/* The textbook pairs as one table; `report` prints them in full. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pair.h"
#include "base/memory.h"
#include "paper/sheets.h"

/* Rows being collected: one set of axis values of a pair, on each device. */
struct gathering {
    const struct source *source;
    struct pair_row {
        const struct pair *pair;
        char place[256];
        double *before, *after, *before_half, *after_half, *half; /* owned; a device each */
        double source;                                            /* the source's speed-up; NaN */
    } * row;                                                      /* owned */
    size_t rows;
};

static void name_place(const struct instance *instance, size_t row, char *out, size_t size)
{
    struct text at = {0};
    instance_place(instance, row, &at);
    snprintf(out, size, "%s", at.length ? at.data : "");
    text_free(&at);
}

static double *unknown(size_t count)
{
    double *values = memory_new(count + 1, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = NAN;
    return values;
}

static struct pair_row *row_of(struct gathering *gathering, const struct pair *pair, const char *place)
{
    size_t groups = (size_t)gathering->source->merged.groups;
    for (size_t i = 0; i < gathering->rows; i++)
        if (gathering->row[i].pair == pair && !strcmp(gathering->row[i].place, place))
            return &gathering->row[i];
    gathering->row = memory_resize(gathering->row, gathering->rows + 1, sizeof *gathering->row);
    struct pair_row *row = &gathering->row[gathering->rows++];
    *row = (struct pair_row){.pair = pair,
                             .before = unknown(groups),
                             .after = unknown(groups),
                             .before_half = unknown(groups),
                             .after_half = unknown(groups),
                             .half = unknown(groups),
                             .source = NAN};
    snprintf(row->place, sizeof row->place, "%s", place);
    return row;
}

/* Half the width of the interval of a quotient, from the ends of both intervals. */
static double half_of_quotient(const struct frame *results, size_t before, size_t after)
{
    double low = frame_find_real(results, before, COLUMN(time_ci_low)) /
                 frame_find_real(results, after, COLUMN(time_ci_high));
    double high = frame_find_real(results, before, COLUMN(time_ci_high)) /
                  frame_find_real(results, after, COLUMN(time_ci_low));
    return (high - low) / 2;
}

static void gather(const struct instance *instance, void *context)
{
    struct gathering *gathering = context;
    const struct source_family as_time = {.quantity = QUANTITY_TIME};
    const struct frame *results = &instance->merged->all.results;
    size_t before = instance->row[0], after = instance->row[1];
    char place[256];
    if (instance->cases != 2 || !source_is_ok(gathering->source, before) ||
        !source_is_ok(gathering->source, after))
        return;
    int group = merge_find_group(instance->merged, frame_find_text(results, before, MERGE_GROUP));
    if (group < 0)
        return;
    name_place(instance, before, place, sizeof place);
    struct pair_row *row = row_of(gathering, instance->pair, place);
    for (const struct pair_quantity *q = instance->pair->quantity; q->label; q++)
        if (instance_is_time(q) && q->source[0].given && instance->source_counts)
            row->source = q->source[0].low / q->source[1].low;
    row->before[group] = source_value(gathering->source, &as_time, before, &row->before_half[group]);
    row->after[group] = source_value(gathering->source, &as_time, after, &row->after_half[group]);
    row->half[group] = half_of_quotient(results, before, after);
}

static void put_row(struct sheet *sheet, const struct pair_row *row, int groups, bool times)
{
    char *title = memory_text(row->pair->title);
    title[strcspn(title, ":")] = '\0';
    sheet_text(sheet, "%s", row->pair->kernel);
    sheet_text(sheet, "%s: %s, then %s", title, row->pair->cases[0].label, row->pair->cases[1].label);
    sheet_text(sheet, "%s", row->place);
    for (int g = 0; g < groups; g++) {
        if (times) {
            sheet_number(sheet, row->before[g], row->before_half[g]);
            sheet_number(sheet, row->after[g], row->after_half[g]);
        }
        sheet_number(sheet, row->before[g] / row->after[g], row->half[g]);
    }
    sheet_number(sheet, row->source, NAN);
    free(title);
}

struct sheet sheets_pairs(const struct source *source, const struct pair_table *pairs, bool times)
{
    struct sheet sheet = sheet_new("pairs", true);
    struct gathering gathering = {.source = source};
    int each = times ? 3 : 1, groups = source->merged.groups;
    groups = groups * each + 4 > SHEET_COLUMNS_MAX ? (SHEET_COLUMNS_MAX - 4) / each : groups;
    sheet_head(&sheet, SHEET_WORDS, "", "Family");
    sheet_head(&sheet, SHEET_WRAPS, "", "From, to");
    sheet_head(&sheet, SHEET_WRAPS, "", "at");
    for (int g = 0; g < groups; g++) {
        if (times) {
            sheet_head(&sheet, SHEET_NUMBER, "us", "%s before", source->label[g]);
            sheet_head(&sheet, SHEET_NUMBER, "us", "%s after", source->label[g]);
        }
        sheet_head(&sheet, SHEET_NUMBER, "", times ? "%s speed-up" : "%s", source->label[g]);
    }
    sheet_head(&sheet, SHEET_NUMBER, "", "Source");
    for (int i = 0; i < pairs->count; i++)
        pair_each(&source->merged, &pairs->pair[i], gather, &gathering);
    for (size_t i = 0; i < gathering.rows; i++) {
        struct pair_row *row = &gathering.row[i];
        put_row(&sheet, row, groups, times);
        free(row->before);
        free(row->after);
        free(row->before_half);
        free(row->after_half);
        free(row->half);
    }
    free(gathering.row);
    sheet_caption(&sheet,
                  "Textbook pairs: the speed-up on each device with half the width of its interval, from the "
                  "ends of both 95 %% intervals%s. The source is %s; its figures are illustrative.",
                  times ? ", and the times" : "", pairs->source);
    return sheet;
}
