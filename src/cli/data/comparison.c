#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "cli/data/comparison.h"

#define NO_PARTNER SIZE_MAX

static const char *const verdict_words[COMPARISON_COUNT] = {"faster", "slower", "same", "not measured"};

struct side {
    const struct view *view;
    const struct frame *results;
    int id, kernel, status, time, low, high;
    size_t *partner; /* owned; per row of the view, the row of the other view */
};

struct columns {
    int kernel, time_a, low_a, high_a, time_b, low_b, high_b, speedup, verdict;
};

static int open_side(const struct view *view, struct side *side, struct error *error)
{
    const struct frame *results = &view->dataset->results;
    *side = (struct side){.view = view,
                          .results = results,
                          .id = frame_find(results, "id"),
                          .kernel = frame_find(results, "kernel"),
                          .status = frame_find(results, "status"),
                          .time = frame_find(results, "time_median"),
                          .low = frame_find(results, "time_ci_low"),
                          .high = frame_find(results, "time_ci_high")};
    if (side->id < 0 || side->kernel < 0 || side->status < 0 || side->time < 0 || side->low < 0 ||
        side->high < 0) {
        error_set(error, ERROR_ENVIRONMENT, "the file lacks columns that every results file has");
        return -1;
    }
    side->partner = memory_new(view->rows + 1, sizeof *side->partner);
    for (size_t i = 0; i < view->rows; i++)
        side->partner[i] = NO_PARTNER;
    return 0;
}

static const union cell *cells(const struct side *side, size_t i)
{
    return frame_row(side->results, side->view->row[i]);
}

/* ---- Pairing ---- */

struct key {
    uint64_t hash;
    size_t row; /* of the view */
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash)
                              : (x->row > y->row) - (x->row < y->row);
}

static uint64_t id_hash(const struct side *side, size_t i, const struct side *other)
{
    (void)other;
    return hash_text(HASH_START, cells(side, i)[side->id].text);
}

static uint64_t axes_hash(const struct side *side, size_t i, const struct side *other)
{
    const union cell *cell = cells(side, i);
    uint64_t sum = 0; /* of the axes, whose order may differ between the files */
    for (int c = 0; c < side->results->columns; c++) {
        const struct column *column = &side->results->column[c];
        int there = frame_find(other->results, column->name);
        if (!view_is_axis(side->view->dataset, c) || there < 0 ||
            !view_is_axis(other->view->dataset, there) || frame_is_missing(column, cell[c]))
            continue;
        char number[32];
        snprintf(number, sizeof number, "%" PRId64, column->type == COLUMN_TEXT ? 0 : cell[c].integer);
        uint64_t one = hash_text(HASH_START, column->name);
        sum += hash_mix(hash_text(one, column->type == COLUMN_TEXT ? cell[c].text : number));
    }
    return hash_mix(hash_text(HASH_START, cell[side->kernel].text) + sum);
}

typedef uint64_t (*row_hash)(const struct side *side, size_t i, const struct side *other);

/* The rows without a partner, by their hash. Caller frees. */
static struct key *sorted_keys(const struct side *side, const struct side *other, row_hash hash,
                               size_t *count)
{
    struct key *keys = memory_new(side->view->rows + 1, sizeof *keys);
    *count = 0;
    for (size_t i = 0; i < side->view->rows; i++)
        if (side->partner[i] == NO_PARTNER)
            keys[(*count)++] = (struct key){hash(side, i, other), i};
    qsort(keys, *count, sizeof *keys, compare_keys);
    return keys;
}

static size_t run_length(const struct key *keys, size_t first, size_t count)
{
    size_t length = 1;
    while (first + length < count && keys[first + length].hash == keys[first].hash)
        length++;
    return length;
}

/* Pair the rows whose hash only one row of either file has: what is ambiguous stays alone. */
static void pair_by(struct side *a, struct side *b, row_hash hash)
{
    size_t rows_a, rows_b, i = 0, k = 0;
    struct key *keys_a = sorted_keys(a, b, hash, &rows_a), *keys_b = sorted_keys(b, a, hash, &rows_b);
    while (i < rows_a && k < rows_b) {
        size_t run_a = run_length(keys_a, i, rows_a), run_b = run_length(keys_b, k, rows_b);
        bool equal = keys_a[i].hash == keys_b[k].hash, less = keys_a[i].hash < keys_b[k].hash;
        if (equal && run_a == 1 && run_b == 1) {
            a->partner[keys_a[i].row] = keys_b[k].row;
            b->partner[keys_b[k].row] = keys_a[i].row;
        }
        i += equal || less ? run_a : 0;
        k += equal || !less ? run_b : 0;
    }
    free(keys_a);
    free(keys_b);
}

/* ---- The table ---- */

static bool same_cell(const struct column *column, union cell a, union cell b)
{
    return column->type == COLUMN_TEXT ? !strcmp(a.text, b.text) : a.integer == b.integer;
}

/* Whether a side's rows have a value of the axis other than `first`, or than the first of their own. Kernels
 * that do not have the axis count for nothing. */
static bool differs(const struct side *side, int column, const union cell **first)
{
    for (size_t i = 0; i < side->view->rows; i++) {
        const union cell *cell = &cells(side, i)[column];
        if (frame_is_missing(&side->results->column[column], *cell))
            continue;
        if (*first && !same_cell(&side->results->column[column], *cell, **first))
            return true;
        *first = cell;
    }
    return false;
}

/* Whether an axis has more than one value among the rows of both sides. */
static bool varies(const struct side *a, int column_a, const struct side *b)
{
    const struct column *column = &a->results->column[column_a];
    int column_b = frame_find(b->results, column->name);
    const union cell *first = NULL;
    if (column_b >= 0 && b->results->column[column_b].type != column->type)
        return true;
    return differs(a, column_a, &first) || (column_b >= 0 && differs(b, column_b, &first));
}

static void add_axes(struct frame *table, const struct side *side, const struct side *other)
{
    for (int c = 0; c < side->results->columns; c++) {
        const struct column *column = &side->results->column[c];
        if (view_is_axis(side->view->dataset, c) && varies(side, c, other))
            frame_join_column(table, column->name, column->type, column->role, column->unit, column->meaning);
    }
}

static struct columns add_columns(struct frame *table, const struct side *a, const struct side *b)
{
    struct columns columns;
    columns.kernel = frame_add_column(table, "kernel", COLUMN_TEXT, ROLE_IDENTITY, "", "kernel family");
    add_axes(table, a, b);
    add_axes(table, b, a);
    columns.time_a =
        frame_add_column(table, "time_a", COLUMN_REAL, ROLE_TIME, "s", "median in the first file");
    columns.low_a =
        frame_add_column(table, "time_a_low", COLUMN_REAL, ROLE_TIME, "s", "lower end of its interval");
    columns.high_a = frame_add_column(table, "time_a_high", COLUMN_REAL, ROLE_TIME, "s", "upper end");
    columns.time_b =
        frame_add_column(table, "time_b", COLUMN_REAL, ROLE_TIME, "s", "median in the second file");
    columns.low_b =
        frame_add_column(table, "time_b_low", COLUMN_REAL, ROLE_TIME, "s", "lower end of its interval");
    columns.high_b = frame_add_column(table, "time_b_high", COLUMN_REAL, ROLE_TIME, "s", "upper end");
    columns.speedup = frame_add_column(table, "speedup", COLUMN_REAL, ROLE_RATE, "", "time_a / time_b");
    columns.verdict =
        frame_add_column(table, "verdict", COLUMN_TEXT, ROLE_STATUS, "", "how the second file does");
    return columns;
}

static void put_point(struct frame *table, size_t row, const struct columns *columns, const struct side *side,
                      size_t i)
{
    const union cell *cell = cells(side, i);
    frame_put_text(table, row, columns->kernel, cell[side->kernel].text);
    for (int c = columns->kernel + 1; c < columns->time_a; c++) {
        int from = frame_find(side->results, table->column[c].name);
        if (from < 0 || frame_is_missing(&side->results->column[from], cell[from]))
            continue;
        frame_put(table, row, c, &side->results->column[from], cell[from]);
    }
}

static void put_times(struct frame *table, size_t row, int first_column, const struct side *side, size_t i)
{
    const union cell *cell = cells(side, i);
    if (strcmp(cell[side->status].text, status_words[STATUS_OK]) != 0)
        return;
    frame_put_real(table, row, first_column, cell[side->time].real);
    frame_put_real(table, row, first_column + 1, cell[side->low].real);
    frame_put_real(table, row, first_column + 2, cell[side->high].real);
}

static enum comparison_verdict judge(const union cell *cell, const struct columns *columns)
{
    for (int c = columns->time_a; c <= columns->high_b; c++)
        if (isnan(cell[c].real))
            return COMPARISON_UNMEASURED;
    if (cell[columns->high_b].real < cell[columns->low_a].real)
        return COMPARISON_FASTER;
    return cell[columns->low_b].real > cell[columns->high_a].real ? COMPARISON_SLOWER : COMPARISON_SAME;
}

static void add_pair(struct comparison *comparison, const struct columns *columns, const struct side *a,
                     const struct side *b, size_t i)
{
    struct frame *table = &comparison->table.results;
    size_t row = table->rows;
    frame_add_row(table);
    put_point(table, row, columns, a, i);
    put_times(table, row, columns->time_a, a, i);
    put_times(table, row, columns->time_b, b, a->partner[i]);
    const union cell *cell = frame_row(table, row);
    enum comparison_verdict verdict = judge(cell, columns);
    frame_put_real(table, row, columns->speedup, cell[columns->time_a].real / cell[columns->time_b].real);
    frame_put_text(table, row, columns->verdict, verdict_words[verdict]);
    comparison->verdicts[verdict]++;
}

static void add_single(struct comparison *comparison, const struct columns *columns, const struct side *side,
                       size_t i, bool first)
{
    struct frame *table = &comparison->table.results;
    size_t row = table->rows;
    frame_add_row(table);
    put_point(table, row, columns, side, i);
    put_times(table, row, first ? columns->time_a : columns->time_b, side, i);
    frame_put_text(table, row, columns->verdict, first ? "only in A" : "only in B");
    if (first)
        comparison->only_a++;
    else
        comparison->only_b++;
}

int comparison_make(const struct view *a, const struct view *b, struct comparison *comparison,
                    struct error *error)
{
    struct side first = {0}, second = {0};
    *comparison = (struct comparison){.table = {.results = frame_new(), .devices = frame_new()}};
    int failed = -1;
    if (open_side(a, &first, error) != 0 || open_side(b, &second, error) != 0)
        goto out;
    pair_by(&first, &second, id_hash);
    pair_by(&first, &second, axes_hash);
    struct columns columns = add_columns(&comparison->table.results, &first, &second);
    for (size_t i = 0; i < a->rows; i++) {
        if (first.partner[i] == NO_PARTNER)
            add_single(comparison, &columns, &first, i, true);
        else
            add_pair(comparison, &columns, &first, &second, i);
    }
    for (size_t i = 0; i < b->rows; i++)
        if (second.partner[i] == NO_PARTNER)
            add_single(comparison, &columns, &second, i, false);
    failed = 0;
out:
    free(first.partner);
    free(second.partner);
    if (failed)
        comparison_free(comparison);
    return failed;
}

void comparison_free(struct comparison *comparison)
{
    frame_free(&comparison->table.results);
    frame_free(&comparison->table.devices);
    *comparison = (struct comparison){0};
}
