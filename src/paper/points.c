#include "paper/points.h"

#include <string.h>

#include "output/print.h"

static const char *const quantities[] = {COLUMN(status),         COLUMN(time_median),  COLUMN(time_ci_low),
                                         COLUMN(time_ci_high),   COLUMN(bandwidth),    COLUMN(bandwidth_low),
                                         COLUMN(bandwidth_high), COLUMN(flop_rate),    COLUMN(latency_p50),
                                         COLUMN(roof),           COLUMN(fraction_peak)};

#define QUANTITIES ((int)(sizeof quantities / sizeof *quantities))

static void put_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_cell(FILE *out, const struct frame *results, size_t row, int column)
{
    const struct column *head = &results->column[column];
    union cell cell = *frame_cell(results, row, column);
    fputc(',', out);
    if (head->type == COLUMN_TEXT)
        put_text(out, cell.text);
    else if (!frame_is_missing(head, cell))
        print_plain(out, head, cell);
}

void points_print_csv(FILE *out, const struct source *source, size_t points)
{
    const struct frame *results = &source->merged.all.results;
    int column[QUANTITIES];
    fputs("id,kernel", out);
    for (int i = 0; i < source->axes; i++)
        fprintf(out, ",%s", results->column[source->axis[i]].name);
    fputs(",device", out);
    for (int i = 0; i < QUANTITIES; i++) {
        column[i] = frame_find(results, quantities[i]);
        if (column[i] >= 0)
            fprintf(out, ",%s", quantities[i]);
    }
    fputc('\n', out);
    for (size_t i = 0; i < source->points && i < points; i++)
        for (int g = 0; g < source->merged.groups; g++) {
            size_t row = source->point[i].row[g];
            if (row == SOURCE_NONE)
                continue;
            put_text(out, source->point[i].id);
            fputc(',', out);
            put_text(out, source->point[i].kernel);
            for (int a = 0; a < source->axes; a++)
                put_cell(out, results, row, source->axis[a]);
            fputc(',', out);
            put_text(out, source->merged.group[g].label);
            for (int q = 0; q < QUANTITIES; q++)
                if (column[q] >= 0)
                    put_cell(out, results, row, column[q]);
            fputc('\n', out);
        }
}
