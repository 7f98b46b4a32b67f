/* Comparisons within one file: each value of a column, or combination of values of several axes, against a baseline. */
#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/pairing.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "core/texts.h"
#include "kernels/registry.h"
#include "table/print_text.h"

enum { BY_MAX = 8 };

/* An axis of /results, several of them, or one column of /devices. */
struct columns {
    struct view_column column[BY_MAX];
    int count;
};

/* A row's samples with one value of the columns. There may be so many members that their entries are made as they are paired. */
struct member {
    size_t row;        /* of /results */
    uint64_t point;    /* equal for members that differ in nothing but the columns */
    const char *value; /* of the columns, as people read them, with commas between; interned in `members` */
    int64_t place;     /* of the first column's value among the kernel's */
};

struct members {
    const struct dataset *dataset;
    const struct columns *columns;
    const struct summary_cells *cells; /* of the dataset */
    struct texts *texts;
    struct member *member;
    size_t count, capacity;
    const char **device_value;   /* by rows of /devices: its value, for a column of devices; NULL: an axis */
    struct pooling axis_pooling; /* for an axis: of all rows */
    struct pooling *device_pooling; /* for a column of devices: of the members with the device's value */
};

/* ---- The columns ---- */

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

static const char *intern(struct members *members, const char *text)
{
    return texts_add(members->texts, text, strlen(text));
}

/* The value of each device. */
static void name_devices(struct members *members, const struct view_column *column)
{
    const struct frame *devices = &members->dataset->devices;
    members->device_value = memory_new(devices->rows + 1, sizeof *members->device_value);
    for (size_t d = 0; d < devices->rows; d++) {
        char value[128];
        if (column->index < 0)
            snprintf(value, sizeof value, "%zu", d);
        else
            print_human(&devices->column[column->index], *frame_cell(devices, d, column->index), value,
                        sizeof value);
        members->device_value[d] = intern(members, value);
    }
}

/* ---- The members ---- */

static void add(struct members *members, struct member member)
{
    members->member =
        memory_grow(members->member, members->count, &members->capacity, sizeof *members->member);
    members->member[members->count++] = member;
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

static int64_t place_of(const struct members *members, size_t row, int c)
{
    const struct dataset *dataset = members->dataset;
    const struct view_column *column = &members->columns->column[c];
    const struct column *header = view_header(dataset, column);
    union cell cell = view_cell(dataset, row, column);
    return header->type == COLUMN_TEXT
               ? place_of_word(frame_find_text(&dataset->results, row, COLUMN(kernel)), header->name,
                               cell.text)
               : cell.integer;
}

static void add_row(struct members *members, size_t row, const char *by)
{
    const struct dataset *dataset = members->dataset;
    char value[128] = "";
    for (int c = 0; c < members->columns->count; c++) {
        const struct view_column *column = &members->columns->column[c];
        const struct column *header = view_header(dataset, column);
        union cell cell = view_cell(dataset, row, column);
        size_t length = strlen(value);
        if (frame_is_missing(header, cell))
            return;
        if (c && length + 1 < sizeof value)
            value[length++] = ',';
        print_human(header, cell, value + length, sizeof value - length);
    }
    add(members, (struct member){.row = row,
                                 .point = pairing_hash(dataset, row, by),
                                 .value = intern(members, value),
                                 .place = place_of(members, row, 0)});
}

/* One member for each value that the devices of the row's samples have. */
static void add_row_by_device(struct members *members, size_t row, const struct view_column *column)
{
    const struct dataset *dataset = members->dataset;
    struct entry whole = entry_of(dataset, members->cells, row);
    uint64_t point = pairing_hash(dataset, row, NULL);
    size_t devices = dataset->devices.rows;
    bool *there = memory_new(devices + 1, sizeof *there);
    for (size_t i = 0; i < whole.cells; i++)
        if (whole.cell[i].device < devices)
            there[whole.cell[i].device] = true;
    for (size_t d = 0; d < devices; d++) {
        const char *value = members->device_value[d];
        if (!there[d])
            continue;
        for (size_t k = d; k < devices; k++)
            there[k] = there[k] && members->device_value[k] != value;
        add(members, (struct member){row, point, value, column->index < 0 ? (int64_t)d : 0});
    }
    free(there);
}

/* The member's samples, not estimated yet. */
static struct entry samples_of(const struct members *members, const struct member *member)
{
    struct entry whole = entry_of(members->dataset, members->cells, member->row);
    size_t devices = members->dataset->devices.rows, count = 0;
    if (!members->device_value)
        return whole;
    uint32_t *of = memory_new(devices + 1, sizeof *of);
    for (size_t d = 0; d < devices; d++)
        if (members->device_value[d] == member->value)
            of[count++] = (uint32_t)d;
    struct entry part = entry_part(&whole, of, count);
    free(of);
    return part;
}

static const char *kernel_of(const struct members *members, const struct member *member)
{
    return frame_find_text(&members->dataset->results, member->row, COLUMN(kernel)); /* interned */
}

/* By kernel, then in the order of values. */
static int compare_values(const void *a, const void *b, void *context)
{
    const struct members *members = context;
    const struct member *x = a, *y = b;
    const char *kernels[] = {kernel_of(members, x), kernel_of(members, y)};
    int kernel = kernels[0] == kernels[1] ? 0 : strcmp(kernels[0], kernels[1]);
    if (kernel)
        return kernel;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    for (int c = 1; c < members->columns->count; c++) {
        int64_t places[] = {place_of(members, x->row, c), place_of(members, y->row, c)};
        if (places[0] != places[1])
            return places[0] < places[1] ? -1 : 1;
    }
    int value = x->value == y->value ? 0 : strcmp(x->value, y->value);
    if (value)
        return value;
    return x->point != y->point ? (x->point > y->point) - (x->point < y->point)
                                : (x->row > y->row) - (x->row < y->row);
}

/* ---- Estimates ---- */

/* Of the members with that value. */
static struct pooling pooling_of_value(const struct members *members, const char *value)
{
    struct levels *levels = memory_new(members->count + 1, sizeof *levels);
    size_t count = 0;
    for (size_t i = 0; i < members->count; i++) {
        if (members->member[i].value != value)
            continue;
        struct entry entry = samples_of(members, &members->member[i]);
        levels[count++] = levels_of(entry.cell, entry.cells);
        entry_free(&entry);
    }
    struct pooling pooling = pooling_of(levels, count);
    for (size_t i = 0; i < count; i++)
        levels_free(&levels[i]);
    free(levels);
    return pooling;
}

/* Each value's deviations are estimated from its own processes: other devices have other processes. */
static void pool(struct members *members)
{
    const char **value = members->device_value;
    size_t devices = members->dataset->devices.rows;
    if (!value) {
        members->axis_pooling = summary_pooling_of(members->cells);
        return;
    }
    members->device_pooling = memory_new(devices + 1, sizeof *members->device_pooling);
    for (size_t d = 0; d < devices; d++) {
        size_t same = 0;
        while (value[same] != value[d])
            same++;
        members->device_pooling[d] =
            same < d ? members->device_pooling[same] : pooling_of_value(members, value[d]);
    }
}

static struct entry estimated(const struct members *members, const struct member *member)
{
    struct entry entry = samples_of(members, member);
    const struct pooling *pooling = &members->axis_pooling;
    for (size_t d = 0; members->device_value && d < members->dataset->devices.rows; d++)
        if (members->device_value[d] == member->value)
            pooling = &members->device_pooling[d];
    entry_estimate(&entry, pooling, NULL);
    return entry;
}

/* ---- Pairs ---- */

static int check_baseline(const struct members *members, const char *by, const char *baseline,
                          struct error *error)
{
    enum { SHOWN = 64 };
    const char *known[SHOWN + 1] = {NULL};
    int count = 0;
    for (size_t i = 0; i < members->count && count < SHOWN; i++) {
        if (!strcmp(members->member[i].value, baseline))
            return 0;
        if (text_find(known, members->member[i].value) < 0)
            known[count++] = members->member[i].value;
    }
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
static void pair_kernel(struct comparison *comparison, const struct members *members,
                        const struct member *member, size_t count, const char *baseline)
{
    const struct member **at = memory_new(count, sizeof *at);
    for (size_t i = 0; i < count; i++)
        at[i] = &member[i];
    qsort(at, count, sizeof(struct member *), compare_points);
    for (size_t from = 0, to = 0; from < count; from = to) {
        const struct member *base = NULL;
        for (to = from; to < count && at[to]->point == at[from]->point; to++)
            if (!strcmp(at[to]->value, baseline))
                base = at[to];
        for (size_t i = from; base && i < to; i++)
            if (strcmp(at[i]->value, baseline) != 0) {
                comparison_evict_at(comparison, comparison->pairs);
                comparison_add(comparison, comparison_section(comparison, baseline, at[i]->value),
                               estimated(members, base), estimated(members, at[i]));
            }
    }
    free(at);
}

static void pair_all(struct comparison *comparison, const struct members *members, const char *baseline)
{
    for (size_t from = 0, to = 0; from < members->count; from = to) {
        const struct member *first = &members->member[from];
        for (to = from;
             to < members->count && kernel_of(members, first) == kernel_of(members, &members->member[to]);)
            to++;
        pair_kernel(comparison, members, first, to - from, baseline ? baseline : first->value);
    }
}

int comparison_by(const struct view *view, const char *by, const char *baseline,
                  struct comparison *comparison, struct error *error)
{
    struct columns columns = {0};
    *comparison = (struct comparison){.file = {view->dataset}, .by = by};
    if (find_columns(view->dataset, by, &columns, error) != 0)
        return -1;
    comparison->cells[0] = summary_all_cells(view->dataset);
    comparison_expect(comparison, view->rows);
    struct members members = {
        .dataset = view->dataset, .columns = &columns, .cells = &comparison->cells[0], .texts = texts_new()};
    if (columns.column[0].of_device)
        name_devices(&members, &columns.column[0]);
    for (size_t i = 0; i < view->rows; i++) {
        comparison_evict_at(comparison, i);
        if (columns.column[0].of_device)
            add_row_by_device(&members, view->row[i], &columns.column[0]);
        else
            add_row(&members, view->row[i], by);
    }
    if (members.count)
        qsort_r(members.member, members.count, sizeof *members.member, compare_values, &members);
    int failed = baseline ? check_baseline(&members, by, baseline, error) : 0;
    if (!failed) {
        pool(&members);
        pair_all(comparison, &members, baseline);
        if (!comparison->pairs)
            failed = error_set(error, ERROR_USAGE, "no two points differ only in %.80s%s%.80s", by,
                               baseline ? ", one of them with " : "", baseline ? baseline : "");
    }
    texts_free(members.texts);
    free(members.member);
    free(members.device_value);
    free(members.device_pooling);
    if (failed)
        comparison_free(comparison);
    return failed ? -1 : 0;
}
