/* Comparisons within one file: each value of a column, or combination of values of several axes, against a baseline. */
#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/pairing.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "kernels/registry.h"
#include "output/print.h"

enum { BY_MAX = 8 };

/* An entry, and where it belongs. */
struct member {
    struct entry entry;
    uint64_t point;        /* equal for members that differ in nothing but the columns */
    char value[128];       /* of the columns, as people read them, with commas between */
    int64_t place[BY_MAX]; /* their places among the kernel's values */
    bool used;             /* the comparison owns the entry now */
};

struct members {
    struct member *member;
    size_t count, capacity;
};

/* ---- The columns ---- */

struct columns {
    struct view_column column[BY_MAX]; /* several only if all are axes */
    int count;
};

/* An axis of /results or a column of /devices; `device` alone is the device itself. */
static int find_column(const struct dataset *dataset, const char *by, struct view_column *column,
                       struct error *error)
{
    const char *dot = strchr(by, '.');
    int device = frame_find(&dataset->devices, dot ? dot + 1 : by), index = frame_find(&dataset->results, by);
    if (!strcmp(by, "device")) {
        *column = (struct view_column){.of_device = true, .index = -1};
        return 0;
    }
    if (!(index >= 0 && view_is_axis(dataset, index)) && device >= 0) {
        *column = (struct view_column){.of_device = true, .index = device};
        return 0;
    }
    if (view_find_column(dataset, by, column, error) != 0)
        return -1;
    if (!view_is_axis(dataset, column->index))
        return error_set(
            error, ERROR_USAGE,
            "--by %.80s: neither an axis nor a property of devices; try arch, variant, driver or device", by);
    return 0;
}

/* Of a name, or of several with commas between. */
static int find_columns(const struct dataset *dataset, const char *by, struct columns *columns,
                        struct error *error)
{
    for (const char *at = by;; at += strcspn(at, ",") + 1) {
        char name[80];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        if (columns->count == BY_MAX)
            return error_set(error, ERROR_USAGE, "--by %.80s: more than %d columns", by, BY_MAX);
        struct view_column *column = &columns->column[columns->count++];
        if (find_column(dataset, name, column, error) != 0)
            return -1;
        if (column->of_device && strcmp(name, by) != 0)
            return error_set(error, ERROR_USAGE, "--by %.80s: several columns must all be axes, %s is not",
                             by, name);
        if (!at[strcspn(at, ",")])
            return 0;
    }
}

static void device_value(const struct dataset *dataset, const struct view_column *column, size_t device,
                         char *out, size_t size)
{
    if (column->index < 0)
        snprintf(out, size, "%zu", device);
    else
        print_human(&dataset->devices.column[column->index],
                    *frame_cell(&dataset->devices, device, column->index), out, size);
}

/* ---- The members ---- */

static struct member *add(struct members *members, struct entry entry, uint64_t point)
{
    members->member =
        memory_grow(members->member, members->count, &members->capacity, sizeof *members->member);
    members->member[members->count] = (struct member){.entry = entry, .point = point};
    return &members->member[members->count++];
}

/* The place of a word in the kernel's own list, so that its plainest variant comes first. */
static int64_t place_of_word(const char *kernel, const char *axis_name, const char *word)
{
    const struct family *family = family_find(kernel);
    int axis = family ? space_axis(&family->space, axis_name) : -1;
    int64_t value;
    struct error ignored;
    if (axis < 0 || axis_parse(&family->space.axes[axis], word, &value, &ignored) != 0)
        return 0;
    return value;
}

static void add_row(struct members *members, const struct view *view, const struct summary_cells *cells,
                    size_t row, const struct columns *columns, const char *by)
{
    const struct dataset *dataset = view->dataset;
    for (int c = 0; c < columns->count; c++)
        if (frame_is_missing(view_header(dataset, &columns->column[c]),
                             view_cell(dataset, row, &columns->column[c])))
            return;
    struct member *member =
        add(members, entry_of(dataset, cells, row), pairing_hash(dataset, row, dataset, by));
    for (int c = 0; c < columns->count; c++) {
        const struct column *header = view_header(dataset, &columns->column[c]);
        union cell cell = view_cell(dataset, row, &columns->column[c]);
        size_t length = strlen(member->value);
        member->place[c] = header->type == COLUMN_TEXT
                               ? place_of_word(frame_find_text(&dataset->results, row, COLUMN(kernel)),
                                               header->name, cell.text)
                               : cell.integer;
        if (c && length + 1 < sizeof member->value)
            member->value[length++] = ',';
        print_human(header, cell, member->value + length, sizeof member->value - length);
    }
}

/* One member for each value that the devices of the row's samples have. */
static void add_row_by_device(struct members *members, const struct view *view,
                              const struct summary_cells *cells, size_t row, const struct view_column *column)
{
    const struct dataset *dataset = view->dataset;
    struct entry whole = entry_of(dataset, cells, row);
    uint64_t point = pairing_hash(dataset, row, dataset, NULL);
    size_t devices = dataset->devices.rows;
    bool *there = memory_new(devices + 1, sizeof *there);
    uint32_t *of = memory_new(devices + 1, sizeof *of);
    for (size_t i = 0; i < whole.cells; i++)
        if (whole.cell[i].device < devices)
            there[whole.cell[i].device] = true;
    for (size_t d = 0; d < devices; d++) {
        char value[128], other[128];
        size_t count = 0;
        if (!there[d])
            continue;
        device_value(dataset, column, d, value, sizeof value);
        for (size_t k = d; k < devices; k++) {
            device_value(dataset, column, k, other, sizeof other);
            if (there[k] && !strcmp(value, other)) {
                of[count++] = (uint32_t)k;
                there[k] = false;
            }
        }
        struct member *member = add(members, entry_part(&whole, of, count), point);
        member->place[0] = column->index < 0 ? (int64_t)d : 0;
        snprintf(member->value, sizeof member->value, "%s", value);
    }
    entry_free(&whole);
    free(there);
    free(of);
}

/* By kernel, then in the order of values. */
static int compare_values(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int kernel = strcmp(frame_find_text(&x->entry.dataset->results, x->entry.row, COLUMN(kernel)),
                        frame_find_text(&y->entry.dataset->results, y->entry.row, COLUMN(kernel)));
    if (kernel)
        return kernel;
    for (int c = 0; c < BY_MAX; c++)
        if (x->place[c] != y->place[c])
            return x->place[c] < y->place[c] ? -1 : 1;
    int value = strcmp(x->value, y->value);
    return value ? value : (x->point > y->point) - (x->point < y->point);
}

static bool same_kernel(const struct member *x, const struct member *y)
{
    return !strcmp(frame_find_text(&x->entry.dataset->results, x->entry.row, COLUMN(kernel)),
                   frame_find_text(&y->entry.dataset->results, y->entry.row, COLUMN(kernel)));
}

/* ---- Estimates ---- */

static int compare_by_value(const void *a, const void *b)
{
    const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;
    return strcmp(x->value, y->value);
}

/* Each value's deviations are estimated from its own processes: other devices have other processes. */
static void estimate_by_value(struct members *members)
{
    struct member **at = memory_new(members->count + 1, sizeof *at);
    const struct entry **same = memory_new(members->count + 1, sizeof *same);
    for (size_t i = 0; i < members->count; i++)
        at[i] = &members->member[i];
    qsort(at, members->count, sizeof(struct member *), compare_by_value);
    for (size_t from = 0, to = 0; from < members->count; from = to) {
        for (to = from; to < members->count && !strcmp(at[to]->value, at[from]->value); to++)
            same[to - from] = &at[to]->entry;
        struct pooling own = entry_pooling(same, to - from);
        for (size_t i = from; i < to; i++)
            entry_estimate(&at[i]->entry, &own, NULL);
    }
    free(same);
    free(at);
}

static void estimate_all(struct members *members, const struct summary_cells *cells)
{
    struct pooling pooling = summary_pooling_of(cells);
    for (size_t i = 0; i < members->count; i++)
        entry_estimate(&members->member[i].entry, &pooling, NULL);
}

/* ---- Pairs ---- */

static int check_baseline(const struct members *members, const char *by, const char *baseline,
                          struct error *error)
{
    enum { SHOWN = 64 };
    const char *known[SHOWN + 1];
    int count = 0;
    for (size_t i = 0; i < members->count && count < SHOWN; i++) {
        int k = 0;
        if (!strcmp(members->member[i].value, baseline))
            return 0;
        while (k < count && strcmp(known[k], members->member[i].value) != 0)
            k++;
        if (k == count)
            known[count++] = members->member[i].value;
    }
    known[count] = NULL;
    char what[192];
    snprintf(what, sizeof what, "value of %.100s among the measured points:", by);
    return suggest_unknown(error, what, baseline, known);
}

static int compare_points(const void *a, const void *b)
{
    const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;
    if (x->point != y->point)
        return x->point < y->point ? -1 : 1;
    return (x > y) - (x < y); /* in the order of values */
}

/* All pairs of one kernel's members, which are sorted by value. */
static void pair_kernel(struct comparison *comparison, struct member *member, size_t count,
                        const char *baseline)
{
    struct member **at = memory_new(count, sizeof *at);
    for (size_t i = 0; i < count; i++)
        at[i] = &member[i];
    qsort(at, count, sizeof(struct member *), compare_points);
    for (size_t from = 0, to = 0; from < count; from = to) {
        struct member *base = NULL;
        for (to = from; to < count && at[to]->point == at[from]->point; to++)
            if (!strcmp(at[to]->value, baseline))
                base = at[to];
        for (size_t i = from; base && i < to; i++) {
            if (!strcmp(at[i]->value, baseline))
                continue;
            struct entry copy = base->entry;
            if (copy.owned) {
                copy.owned = memory_new(copy.cells + 1, sizeof *copy.owned);
                memcpy(copy.owned, base->entry.cell, copy.cells * sizeof *copy.owned);
                copy.cell = copy.owned;
            }
            comparison_add(comparison, comparison_section(comparison, baseline, at[i]->value), copy,
                           at[i]->entry);
            at[i]->used = true;
        }
    }
    free(at);
}

static void pair_all(struct comparison *comparison, struct members *members, const char *baseline)
{
    for (size_t from = 0, to = 0; from < members->count; from = to) {
        struct member *first = &members->member[from];
        for (to = from; to < members->count && same_kernel(first, &members->member[to]);)
            to++;
        pair_kernel(comparison, first, to - from, baseline ? baseline : first->value);
    }
}

int comparison_by(const struct view *view, const char *by, const char *baseline,
                  struct comparison *comparison, struct error *error)
{
    struct columns columns = {0};
    struct members members = {0};
    *comparison = (struct comparison){.by = by};
    if (find_columns(view->dataset, by, &columns, error) != 0)
        return -1;
    comparison->cells[0] = summary_all_cells(view->dataset);
    comparison_expect(comparison, view->rows);
    for (size_t i = 0; i < view->rows; i++) {
        comparison_evict_at(comparison, i);
        if (columns.column[0].of_device)
            add_row_by_device(&members, view, &comparison->cells[0], view->row[i], &columns.column[0]);
        else
            add_row(&members, view, &comparison->cells[0], view->row[i], &columns, by);
    }
    if (members.count)
        qsort(members.member, members.count, sizeof *members.member, compare_values);
    int failed = baseline ? check_baseline(&members, by, baseline, error) : 0;
    if (!failed) {
        if (columns.column[0].of_device)
            estimate_by_value(&members);
        else
            estimate_all(&members, &comparison->cells[0]);
        pair_all(comparison, &members, baseline);
        if (!comparison->pairs)
            failed = error_set(error, ERROR_USAGE, "no two points differ only in %.80s%s%.80s", by,
                               baseline ? ", one of them with " : "", baseline ? baseline : "");
    }
    for (size_t i = 0; i < members.count; i++)
        if (!members.member[i].used)
            entry_free(&members.member[i].entry);
    free(members.member);
    if (failed)
        comparison_free(comparison);
    return failed ? -1 : 0;
}
