#include "figure/tables/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "statistics/quantile.h"

/* Axes of these families. */
enum { COLUMN_IS_blocks, COLUMN_IS_direction, COLUMN_IS_pair, COLUMN_IS_size, COLUMN_IS_width };

/* A quantity that each pair of devices has: rows of a family, the largest or the smallest size of them. */
static const struct quantity {
    const char *kernel, *variant, *column, *low, *high, *unit, *words;
    double scale;
    bool largest, rate;
} quantities[] = {
    {"peer_copy", "copy_engine", COLUMN(bandwidth), COLUMN(bandwidth_low), COLUMN(bandwidth_high), "GB/s",
     "copy engine", 1e-9, true, true},
    {"peer_copy", "load", COLUMN(bandwidth), COLUMN(bandwidth_low), COLUMN(bandwidth_high), "GB/s", "loads",
     1e-9, true, true},
    {"peer_copy", "store", COLUMN(bandwidth), COLUMN(bandwidth_low), COLUMN(bandwidth_high), "GB/s", "stores",
     1e-9, true, true},
    {"peer_latency", "load", COLUMN(latency_seconds), COLUMN(latency_p05), COLUMN(latency_p95), "ns",
     "dependent load", 1e9, false, false},
};

static const char *text_of(const struct view *view, size_t i, const char *column)
{
    return frame_find_text(&view->dataset->results, view->row[i], column);
}

static double real_of(const struct view *view, size_t i, const char *column)
{
    return frame_find_real(&view->dataset->results, view->row[i], column);
}

/* A word of an axis that the family may lack. */
static bool is_or_lacks(const struct view *view, size_t i, const char *column, const char *word)
{
    const char *there = text_of(view, i, column);
    return !*there || !strcmp(there, word);
}

static bool number_is(const struct view *view, size_t i, const char *column, int64_t wanted)
{
    int found = frame_find(&view->dataset->results, column);
    const struct column *header = found < 0 ? NULL : &view->dataset->results.column[found];
    union cell cell = found < 0 ? (union cell){0} : *frame_cell(&view->dataset->results, view->row[i], found);
    if (found < 0 || frame_is_missing(header, cell))
        return true;
    return header->type == COLUMN_INTEGER ? cell.integer == wanted : cell.real == (double)wanted;
}

/* One direction, all multiprocessors, whole lines, L2 as the last launch has left it. */
static bool is_of(const struct view *view, size_t i, const struct quantity *q)
{
    return status_is_ok(text_of(view, i, COLUMN(status))) && *text_of(view, i, MERGE_GROUP) &&
           !strcmp(text_of(view, i, COLUMN(kernel)), q->kernel) &&
           !strcmp(text_of(view, i, COLUMN(variant)), q->variant) &&
           is_or_lacks(view, i, COLUMN(direction), "one_way") && is_or_lacks(view, i, COLUMN(cache), "hot") &&
           number_is(view, i, COLUMN(blocks), 0) && number_is(view, i, COLUMN(width), 16) &&
           real_of(view, i, q->column) > 0;
}

static double size_of(const struct view *view, size_t i)
{
    const struct frame *results = &view->dataset->results;
    int found = frame_find(results, COLUMN(size));
    if (found < 0)
        return NAN;
    union cell cell = *frame_cell(results, view->row[i], found);
    return results->column[found].type == COLUMN_INTEGER ? (double)cell.integer : cell.real;
}

/* The devices of a row: of a local pair, the one that measured it. */
static bool ends_of(const struct view *view, size_t i, int *near, int *far)
{
    const struct dataset *dataset = view->dataset;
    int device = frame_find(&dataset->results, COLUMN(device)),
        ordinal = frame_find(&dataset->devices, DEVICE_COLUMN(ordinal));
    if (sscanf(text_of(view, i, COLUMN(pair)), "%d-%d", near, far) == 2)
        return true;
    int64_t row = device < 0 ? -1 : frame_cell(&dataset->results, view->row[i], device)->integer;
    if (ordinal < 0 || row < 0 || (uint64_t)row >= dataset->devices.rows)
        return false;
    *near = *far = (int)frame_cell(&dataset->devices, (size_t)row, ordinal)->integer;
    return true;
}

/* The size that the matrix shows: one for all pairs; 0: no pair has the quantity. */
static double choose_size(const struct view *view, const struct quantity *q)
{
    double chosen = 0;
    for (size_t i = 0; i < view->rows; i++) {
        double size =
            is_of(view, i, q) && strcmp(text_of(view, i, COLUMN(pair)), "local") != 0 ? size_of(view, i) : 0;
        if (size > 0 && (!chosen || (q->largest ? size > chosen : size < chosen)))
            chosen = size;
    }
    return chosen;
}

/* Of the pairs of two devices. */
static double median_of(const struct view *view, const struct quantity *q, double size)
{
    double *values = memory_new(view->rows + 1, sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < view->rows; i++)
        if (is_of(view, i, q) && size_of(view, i) == size &&
            strcmp(text_of(view, i, COLUMN(pair)), "local") != 0)
            values[count++] = real_of(view, i, q->column);
    double median = quantile_median(values, count);
    free(values);
    return median;
}

static void add_cell(const struct view *view, size_t i, const struct quantity *q, const char *title,
                     double median, struct merged *table)
{
    static const char *const names[] = {COLUMN(across), COLUMN(up), COLUMN(speedup), COLUMN(shown)};
    char word[16];
    int near, far;
    if (!ends_of(view, i, &near, &far))
        return;
    double value = real_of(view, i, q->column), over = q->rate ? value / median : median / value;
    const double values[] = {near, far, near == far ? 1 : over, value * q->scale};
    rows_add(table, text_of(view, i, MERGE_GROUP), title, names, values, 4);
    snprintf(word, sizeof word, "%d", near);
    rows_add_word(table, COLUMN(across_name), word);
    snprintf(word, sizeof word, "%d", far);
    rows_add_word(table, COLUMN(up_name), word);
}

int links_table(const struct view *view, struct merged *table, struct text *caption, struct error *why)
{
    for (size_t k = 0; k < sizeof quantities / sizeof *quantities; k++) {
        const struct quantity *q = &quantities[k];
        double size = choose_size(view, q), median = median_of(view, q, size), widest = 0;
        char bytes[32], title[96];
        if (!size)
            continue;
        text_format_bytes((int64_t)size, bytes, sizeof bytes);
        snprintf(title, sizeof title, "%s, %s (%s)", q->words, bytes, q->unit);
        for (size_t i = 0; i < view->rows; i++) {
            if (!is_of(view, i, q) || size_of(view, i) != size)
                continue;
            add_cell(view, i, q, title, median, table);
            double middle = q->rate ? real_of(view, i, q->column) : real_of(view, i, COLUMN(latency_p50));
            widest = fmax(
                widest, fmax(middle - real_of(view, i, q->low), real_of(view, i, q->high) - middle) / middle);
        }
        text_add(caption, "%s%s: %s at most %.2g %% from the value", caption->length ? "; " : "", title,
                 q->rate ? "95 % intervals end" : "5th and 95th percentiles of the samples are",
                 100 * widest);
    }
    return table->all.results.rows ? 0 : error_set(why, ERROR_USAGE, "no pair of two devices was measured");
}
