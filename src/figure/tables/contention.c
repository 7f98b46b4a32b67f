/* The family contention: how much of its rate alone something keeps while something else goes on. */
#include "figure/tables/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Axes of the family. */
enum {
    COLUMN_IS_beside,
    COLUMN_IS_blocks,
    COLUMN_IS_gpus,
    COLUMN_IS_pattern,
    COLUMN_IS_shift,
    COLUMN_IS_size,
    COLUMN_IS_work_bytes
};

enum { MECHANISMS = 5, PATTERNS = 7, CELLS_MAX = 8 * MECHANISMS * 64 };

static const char *const mechanisms[MECHANISMS] = {"copy_engine", "load", "store", "bulk_load", "bulk_store"};
static const char *const patterns[PATTERNS] = {"one",    "both",    "permutation", "all_to_all",
                                               "incast", "outcast", "bisection"};

/* A cell of the matrix: the point of the largest size that has its partner. */
struct share {
    size_t concurrent, alone; /* rows */
    const char *group;
    char name[64];
    int across, order;
    double ratio, low, high;
};

static const char *word(const struct merged *all, size_t row, const char *column)
{
    return merge_text(all, row, column);
}

static bool is(const struct merged *all, size_t row, const char *column, const char *wanted)
{
    return !strcmp(word(all, row, column), wanted);
}

static int64_t whole(const struct merged *all, size_t row, const char *column)
{
    return frame_find_integer(&all->all.results, row, column);
}

static bool same_number(const struct merged *all, size_t a, size_t b, const char *column)
{
    return whole(all, a, column) == whole(all, b, column);
}

static bool same_word(const struct merged *all, size_t a, size_t b, const char *column)
{
    return is(all, a, column, word(all, b, column));
}

static int place_of(const char *text, const char *const *words, int count)
{
    int i = 0;
    while (i < count && strcmp(words[i], text) != 0)
        i++;
    return i;
}

static bool measures_work(const struct merged *all, size_t row)
{
    return is(all, row, COLUMN(measured), "work");
}

/* Messages that one device sends or receives, whichever are more: they share its links. */
static double messages_of(const struct merged *all, size_t row)
{
    double gpus = (double)whole(all, row, COLUMN(gpus));
    if (is(all, row, COLUMN(pattern), "bisection"))
        return gpus / 2;
    bool shared = is(all, row, COLUMN(pattern), "all_to_all") || is(all, row, COLUMN(pattern), "incast") ||
                  is(all, row, COLUMN(pattern), "outcast");
    return shared ? gpus - 1 : 1;
}

/* Between devices, of one part. Points that do each part once (measured=both) last as long as both parts. */
static bool is_concurrent(const struct merged *all, size_t row)
{
    bool beside = !is(all, row, COLUMN(beside), "none"), one = is(all, row, COLUMN(pattern), "one");
    if (place_of(word(all, row, COLUMN(variant)), mechanisms, MECHANISMS) == MECHANISMS)
        return false; /* of a later release */
    return is(all, row, COLUMN(kernel), "contention") && status_is_ok(word(all, row, COLUMN(status))) &&
           whole(all, row, COLUMN(gpus)) >= 2 && !is(all, row, COLUMN(measured), "both") &&
           !is(all, row, COLUMN(pattern), "none") && (beside || !one);
}

/* The work without messages; the messages without work; or, of a pattern without work, one message alone. */
static bool is_alone(const struct merged *all, size_t row, size_t concurrent)
{
    if (!is(all, row, COLUMN(kernel), "contention") || !status_is_ok(word(all, row, COLUMN(status))) ||
        !same_word(all, row, concurrent, MERGE_GROUP) || !same_word(all, row, concurrent, COLUMN(measured)) ||
        !same_word(all, row, concurrent, COLUMN(cache)) || !same_number(all, row, concurrent, COLUMN(size)) ||
        !same_number(all, row, concurrent, COLUMN(blocks)))
        return false;
    if (measures_work(all, concurrent))
        return is(all, row, COLUMN(pattern), "none") && same_word(all, row, concurrent, COLUMN(beside)) &&
               same_number(all, row, concurrent, COLUMN(gpus)) &&
               same_number(all, row, concurrent, COLUMN(work_bytes));
    if (!same_word(all, row, concurrent, COLUMN(variant)) || !is(all, row, COLUMN(beside), "none"))
        return false;
    if (is(all, concurrent, COLUMN(beside), "none"))
        return is(all, row, COLUMN(pattern), "one") && whole(all, row, COLUMN(gpus)) == 2;
    return same_word(all, row, concurrent, COLUMN(pattern)) &&
           same_number(all, row, concurrent, COLUMN(gpus)) &&
           same_number(all, row, concurrent, COLUMN(shift));
}

/* "both", "permutation, 4 GPUs", "one beside local_copy"; first what is measured. Returns its place from the top. */
static int name_of(const struct merged *all, size_t row, char *name, size_t size)
{
    const char *pattern = word(all, row, COLUMN(pattern)), *beside = word(all, row, COLUMN(beside));
    int gpus = (int)whole(all, row, COLUMN(gpus)), place = place_of(pattern, patterns, PATTERNS), kind = 0;
    char more[24] = "";
    if (gpus > 2)
        snprintf(more, sizeof more, ", %d GPUs", gpus);
    if (!strcmp(beside, "none")) {
        snprintf(name, size, "%s%s", pattern, more);
    } else if (measures_work(all, row)) {
        snprintf(name, size, "%s beside %s%s", beside, pattern, more);
        kind = 3;
    } else {
        snprintf(name, size, "%s beside %s%s", pattern, beside, more);
        kind = 1;
    }
    kind += kind && !strcmp(beside, "matmul");
    return (kind * 16 + gpus) * 16 + place;
}

/* Interval of the ratio: those of both medians are added in quadrature, as logarithms (Zou & Donner 2008). */
static void fill_ratio(const struct merged *all, struct share *cell)
{
    double t = merge_real(all, cell->concurrent, COLUMN(time_median)),
           low = merge_real(all, cell->concurrent, COLUMN(time_ci_low)),
           high = merge_real(all, cell->concurrent, COLUMN(time_ci_high)),
           alone = merge_real(all, cell->alone, COLUMN(time_median)),
           alone_low = merge_real(all, cell->alone, COLUMN(time_ci_low)),
           alone_high = merge_real(all, cell->alone, COLUMN(time_ci_high));
    double times = measures_work(all, cell->concurrent) || !is(all, cell->concurrent, COLUMN(beside), "none")
                       ? 1
                       : messages_of(all, cell->concurrent);
    cell->ratio = times * alone / t;
    cell->low = cell->ratio * exp(-hypot(log(alone / alone_low), log(high / t)));
    cell->high = cell->ratio * exp(hypot(log(alone_high / alone), log(t / low)));
}

/* Is a row the better one for a cell: the larger message, then more blocks and work, and the smaller shift? */
static bool is_better(const struct merged *all, size_t row, size_t than)
{
    static const char *const columns[] = {COLUMN(size), COLUMN(blocks), COLUMN(work_bytes)};
    for (int i = 0; i < 3; i++)
        if (!same_number(all, row, than, columns[i]))
            return whole(all, row, columns[i]) > whole(all, than, columns[i]);
    return whole(all, row, COLUMN(shift)) < whole(all, than, COLUMN(shift));
}

static int collect(const struct merged *all, const struct view *view, struct share *cells)
{
    int count = 0;
    for (size_t i = 0; i < view->rows; i++) {
        struct share cell = {.concurrent = view->row[i], .alone = SIZE_MAX};
        if (!is_concurrent(all, cell.concurrent))
            continue;
        for (size_t k = 0; k < view->rows; k++)
            if (is_alone(all, view->row[k], cell.concurrent))
                cell.alone = view->row[k];
        if (cell.alone == SIZE_MAX)
            continue;
        cell.group = word(all, cell.concurrent, MERGE_GROUP);
        cell.across = place_of(word(all, cell.concurrent, COLUMN(variant)), mechanisms, MECHANISMS);
        cell.order = name_of(all, cell.concurrent, cell.name, sizeof cell.name);
        fill_ratio(all, &cell);
        int at = 0;
        while (at < count && (cells[at].across != cell.across || cells[at].order != cell.order ||
                              strcmp(cells[at].group, cell.group) != 0))
            at++;
        if (at == CELLS_MAX || (at < count && !is_better(all, cell.concurrent, cells[at].concurrent)))
            continue;
        cells[at] = cell;
        count += at == count;
    }
    return count;
}

/* Distinct values below (of columns: mechanisms) or above (of rows, the first at the top). */
static int rank_of(const struct share *cells, int count, const struct share *cell, bool across)
{
    int rank = 0;
    for (int i = 0; i < count; i++) {
        bool before = across ? cells[i].across < cell->across : cells[i].order > cell->order;
        for (int k = 0; k < i && before; k++)
            before = across ? cells[k].across != cells[i].across : cells[k].order != cells[i].order;
        rank += before;
    }
    return rank;
}

int contention_table(const struct merged *all, const struct view *view, struct merged *table,
                     struct text *caption, struct error *why)
{
    static const char *const names[] = {COLUMN(across), COLUMN(up), COLUMN(speedup), COLUMN(shown),
                                        COLUMN(spread)};
    struct share *cells = memory_new(CELLS_MAX + 1, sizeof *cells);
    int count = collect(all, view, cells);
    double widest = 0;
    for (int i = 0; i < count; i++) {
        const struct share *cell = &cells[i];
        const double values[] = {rank_of(cells, count, cell, true), rank_of(cells, count, cell, false),
                                 cell->ratio, 100 * cell->ratio, 50 * (cell->high - cell->low)};
        rows_add(table, cell->group, "contention", names, values, 5);
        rows_add_word(table, COLUMN(across_name), mechanisms[cell->across]);
        rows_add_word(table, COLUMN(up_name), cell->name);
        if (isfinite(values[4]))
            widest = fmax(widest, values[4]);
    }
    free(cells);
    if (!count)
        return error_set(why, ERROR_USAGE,
                         "no point of contention has a partner: the same messages, or the same work, alone");
    text_add(caption, "%s±: half of the 95 %% interval of the ratio, at most %.2g",
             caption->length ? "; " : "", widest);
    return 0;
}
