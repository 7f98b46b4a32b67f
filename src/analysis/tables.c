#include "analysis/tables.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

const char *const verdict_words[VERDICT_COUNT] = {"not measured", "faster", "slower", "same", "uncertain"};

static const char *kernel_of(const struct comparison_pair *pair)
{
    const struct entry *entry = pair->a.dataset ? &pair->a : &pair->b;
    return frame_find_text(&entry->dataset->results, entry->row, COLUMN(kernel));
}

/* ---- Families ---- */

/* The kernels of a section, by name, and which of them each pair is of. */
struct kernels {
    const char **name; /* owned */
    size_t count;
    uint32_t *of; /* owned; of each pair an index into `name`, or NONE: of another section */
    bool *member; /* owned; room for a mark per pair */
};

enum { NONE = UINT32_MAX };

static bool is_member(const struct kernels *kernels, size_t pair, size_t kernel)
{
    return kernel < kernels->count ? kernels->of[pair] == kernel : kernels->of[pair] != NONE;
}

/* `kernel`: its index, or their number for all of them. */
static struct group group_of(const struct comparison *comparison, size_t section,
                             const struct kernels *kernels, size_t kernel)
{
    struct group group = {.section = section,
                          .kernel = kernel < kernels->count ? kernels->name[kernel] : NULL,
                          .share_a = NAN,
                          .share_b = NAN};
    struct verdict_sums sums = {0};
    double sum_a = 0, sum_b = 0, shares = 0;
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct comparison_pair *pair = &comparison->pair[i];
        comparison_evict_at(comparison, i);
        kernels->member[i] = is_member(kernels, i, kernel);
        if (!kernels->member[i])
            continue;
        group.only_a += !pair->b.dataset;
        group.only_b += !pair->a.dataset;
        verdict_add(&sums, &pair->a.estimate, &pair->b.estimate);
        if (!pair->a.dataset || !pair->b.dataset)
            continue;
        group.verdicts[comparison->ratio[i].verdict]++;
        double a = entry_share(&pair->a), b = entry_share(&pair->b);
        if (comparison->shares && a > 0 && b > 0) {
            sum_a += log(a);
            sum_b += log(b);
            shares++;
        }
    }
    group.ratio = verdict_group(&comparison->rule, &sums);
    group.detectable =
        verdict_detectable(&comparison->rule, comparison->ratio, kernels->member, comparison->pairs, 0.95);
    comparison_evict_at(comparison, 0);
    if (shares > 0) {
        group.share_a = exp(sum_a / shares);
        group.share_b = exp(sum_b / shares);
    }
    return group;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static uint32_t find_kernel(const struct kernels *kernels, const char *name)
{
    uint32_t k = 0;
    while (k < kernels->count && kernels->name[k] != name && strcmp(kernels->name[k], name) != 0)
        k++;
    return k;
}

static struct kernels kernels_of(const struct comparison *comparison, size_t section)
{
    struct kernels kernels = {.of = memory_new(comparison->pairs + 1, sizeof *kernels.of),
                              .member = memory_new(comparison->pairs + 1, sizeof *kernels.member)};
    size_t capacity = 0;
    for (size_t i = 0; i < comparison->pairs; i++) {
        comparison_evict_at(comparison, i);
        kernels.of[i] = NONE;
        if (comparison->pair[i].section != section)
            continue;
        const char *kernel = kernel_of(&comparison->pair[i]);
        kernels.of[i] = find_kernel(&kernels, kernel);
        if (kernels.of[i] < kernels.count)
            continue;
        kernels.name = memory_grow(kernels.name, kernels.count, &capacity, sizeof *kernels.name);
        kernels.name[kernels.count++] = kernel;
    }
    const char **unsorted = memory_new(kernels.count + 1, sizeof *unsorted);
    uint32_t *place = memory_new(kernels.count + 1, sizeof *place);
    for (size_t k = 0; k < kernels.count; k++)
        unsorted[k] = kernels.name[k];
    if (kernels.count)
        qsort(kernels.name, kernels.count, sizeof(const char *), compare_texts);
    for (size_t k = 0; k < kernels.count; k++)
        place[k] = find_kernel(&kernels, unsorted[k]);
    for (size_t i = 0; i < comparison->pairs; i++)
        if (kernels.of[i] != NONE)
            kernels.of[i] = place[kernels.of[i]];
    free(unsorted);
    free(place);
    return kernels;
}

struct group *tables_groups(const struct comparison *comparison, size_t *count)
{
    struct group *groups = NULL;
    size_t capacity = 0;
    *count = 0;
    for (size_t section = 0; section < comparison->sections; section++) {
        struct kernels kernels = kernels_of(comparison, section);
        for (size_t k = 0; k < kernels.count + (kernels.count != 1); k++) {
            groups = memory_grow(groups, *count, &capacity, sizeof *groups);
            groups[(*count)++] = group_of(comparison, section, &kernels, k);
        }
        free(kernels.name);
        free(kernels.of);
        free(kernels.member);
    }
    return groups;
}

static int add_real(struct frame *table, const char *name, const char *unit, const char *meaning)
{
    return frame_add_column(table, name, COLUMN_REAL, ROLE_RATE, unit, meaning);
}

static int add_text(struct frame *table, const char *name, const char *meaning)
{
    return frame_add_column(table, name, COLUMN_TEXT, ROLE_IDENTITY, "", meaning);
}

static int add_count(struct frame *table, const char *name, const char *meaning)
{
    return frame_add_column(table, name, COLUMN_INTEGER, ROLE_OTHER, "", meaning);
}

struct dataset tables_families(const struct comparison *comparison)
{
    struct dataset dataset = {.results = frame_new(), .devices = frame_new()};
    struct frame *table = &dataset.results;
    size_t groups;
    struct group *group = tables_groups(comparison, &groups);
    int a = add_text(table, COLUMN(a), "the baseline"),
        b = add_text(table, COLUMN(b), "what is held against it");
    int kernel = add_text(table, COLUMN(kernel), "kernel family, or all");
    int ratio = add_real(table, COLUMN(ratio), "", "geometric mean of time of b over time of a");
    int low = add_real(table, COLUMN(ratio_low), "", "lower end of its 95 % interval");
    int high = add_real(table, COLUMN(ratio_high), "", "upper end");
    int verdict = add_text(table, COLUMN(verdict), "of the geometric mean");
    int first = add_count(table, COLUMN(points_not_measured), "on both sides, but not measured on both");
    add_count(table, COLUMN(points_faster), "b takes less time");
    add_count(table, COLUMN(points_slower), "b takes more time");
    add_count(table, COLUMN(points_same), "no difference that matters");
    add_count(table, COLUMN(points_uncertain), "the interval is too wide to tell");
    int only_a = add_count(table, COLUMN(points_only_a), "not in b"),
        only_b = add_count(table, COLUMN(points_only_b), "not in a");
    int share_a = add_real(table, COLUMN(share_a), "", "geometric mean of a's shares of its roofs");
    int share_b = add_real(table, COLUMN(share_b), "", "geometric mean of b's shares of its roofs");
    int detectable =
        add_real(table, COLUMN(detectable), "", "smallest difference that 95 % of the points would show");
    for (size_t i = 0; i < groups; i++) {
        const struct group *g = &group[i];
        frame_add_row(table);
        frame_put_text(table, i, a, comparison->section[g->section].a);
        frame_put_text(table, i, b, comparison->section[g->section].b);
        frame_put_text(table, i, kernel, g->kernel ? g->kernel : "all");
        frame_put_real(table, i, ratio, g->ratio.ratio);
        frame_put_real(table, i, low, g->ratio.low);
        frame_put_real(table, i, high, g->ratio.high);
        frame_put_text(table, i, verdict, verdict_words[g->ratio.verdict]);
        for (int v = 0; v < VERDICT_COUNT; v++)
            frame_put_integer(table, i, first + v, (int64_t)g->verdicts[v]);
        frame_put_integer(table, i, only_a, (int64_t)g->only_a);
        frame_put_integer(table, i, only_b, (int64_t)g->only_b);
        frame_put_real(table, i, share_a, g->share_a);
        frame_put_real(table, i, share_b, g->share_b);
        frame_put_real(table, i, detectable, g->detectable);
    }
    free(group);
    return dataset;
}

/* ---- Points ---- */

static bool same_cell(const struct column *column, union cell a, union cell b)
{
    return column->type == COLUMN_TEXT ? !strcmp(a.text, b.text) : a.integer == b.integer;
}

/* The file of a side, and which of its rows are in a pair. */
struct side {
    const struct dataset *dataset; /* NULL: all pairs are of the other side */
    bool *paired;                  /* owned */
};

static struct side side_of(const struct comparison *comparison, bool second)
{
    struct side side = {0};
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct comparison_pair *pair = &comparison->pair[i];
        const struct entry *entry = second ? &pair->b : &pair->a;
        comparison_evict_at(comparison, i);
        if (!entry->dataset)
            continue;
        if (!side.dataset) {
            side.dataset = entry->dataset;
            side.paired = memory_new(side.dataset->results.rows, sizeof *side.paired);
        }
        side.paired[entry->row] = true;
    }
    return side;
}

/* Whether the axis has more than one value. Kernels without it do not count. Pairs may be in any order, so this goes by rows. */
static bool varies(const struct side sides[2], const char *name)
{
    const struct column *first_column = NULL;
    union cell first = {0};
    for (int s = 0; s < 2; s++) {
        const struct frame *frame = sides[s].dataset ? &sides[s].dataset->results : NULL;
        int index = frame ? frame_find(frame, name) : -1;
        for (size_t row = 0; index >= 0 && row < frame->rows; row++) {
            const struct column *column = &frame->column[index];
            if (!sides[s].paired[row] || frame_is_missing(column, *frame_cell(frame, row, index)))
                continue;
            union cell cell = *frame_cell(frame, row, index);
            if (first_column && (column->type != first_column->type || !same_cell(column, cell, first)))
                return true;
            first_column = column;
            first = cell;
        }
    }
    return false;
}

static void add_axes(struct frame *table, const struct comparison *comparison)
{
    const struct side sides[2] = {side_of(comparison, false), side_of(comparison, true)};
    for (int s = 0; s < 2; s++) {
        const struct dataset *dataset = s && sides[1].dataset == sides[0].dataset ? NULL : sides[s].dataset;
        for (int c = 0; dataset && c < dataset->results.columns; c++) {
            const struct column *column = &dataset->results.column[c];
            if (view_is_axis(dataset, c) && (!comparison->by || !text_lists(comparison->by, column->name)) &&
                varies(sides, column->name))
                frame_join_column(table, column->name, column->type, column->role, column->unit,
                                  column->meaning);
            if (c % 8 == 0)
                comparison_evict_at(comparison, 0);
        }
    }
    free(sides[0].paired);
    free(sides[1].paired);
}

struct columns {
    int a, b, kernel, first, verdict; /* `first`: time_a, and the reals after it */
};

static struct columns add_columns(struct frame *table, const struct comparison *comparison)
{
    struct columns columns = {.a = -1, .b = -1};
    if (comparison->by) {
        columns.a = add_text(table, COLUMN(a), "the baseline");
        columns.b = add_text(table, COLUMN(b), "what is held against it");
    }
    columns.kernel = add_text(table, COLUMN(kernel), "kernel family");
    add_axes(table, comparison);
    columns.first = add_real(table, COLUMN(time_a), "s", "estimate over processes and devices");
    add_real(table, COLUMN(time_b), "s", "the same of b");
    add_real(table, COLUMN(ratio), "", "time_b / time_a");
    add_real(table, COLUMN(ratio_low), "", "lower end of its 95 % interval");
    add_real(table, COLUMN(ratio_high), "", "upper end");
    add_real(table, COLUMN(share_a), "", "a's share of its roof");
    add_real(table, COLUMN(share_b), "", "b's share of its roof");
    columns.verdict = add_text(table, COLUMN(verdict), "of b against a");
    return columns;
}

static void put_pair(struct frame *table, const struct columns *columns, const struct comparison *comparison,
                     size_t i)
{
    const struct comparison_pair *pair = &comparison->pair[i];
    const struct verdict_ratio *ratio = &comparison->ratio[i];
    const struct entry *entry = pair->a.dataset ? &pair->a : &pair->b;
    const struct frame *from = &entry->dataset->results;
    size_t row = table->rows;
    frame_append_row(table);
    if (comparison->by) {
        frame_put_text(table, row, columns->a, comparison->section[pair->section].a);
        frame_put_text(table, row, columns->b, comparison->section[pair->section].b);
    }
    frame_put_text(table, row, columns->kernel, kernel_of(pair));
    for (int c = columns->kernel + 1; c < columns->first; c++) {
        int column = frame_find(from, table->column[c].name);
        if (column >= 0 && !frame_is_missing(&from->column[column], *frame_cell(from, entry->row, column)))
            frame_put(table, row, c, &from->column[column], *frame_cell(from, entry->row, column));
    }
    const bool shares = comparison->shares;
    const double reals[] = {pair->a.dataset ? pair->a.estimate.seconds : NAN,
                            pair->b.dataset ? pair->b.estimate.seconds : NAN,
                            ratio->ratio,
                            ratio->low,
                            ratio->high,
                            shares && pair->a.dataset ? entry_share(&pair->a) : NAN,
                            shares && pair->b.dataset ? entry_share(&pair->b) : NAN};
    for (int r = 0; r < (int)(sizeof reals / sizeof *reals); r++)
        frame_put_real(table, row, columns->first + r, reals[r]);
    frame_put_text(table, row, columns->verdict,
                   !pair->b.dataset   ? "only in A"
                   : !pair->a.dataset ? "only in B"
                                      : verdict_words[ratio->verdict]);
}

struct dataset tables_some_points(const struct comparison *comparison, const size_t *pair, size_t count)
{
    enum { MANY = 1 << 15, PORTION = 1 << 13 };
    struct dataset dataset = {.results = count > MANY ? frame_new_spilled() : frame_new(),
                              .devices = frame_new()};
    frame_by_column(&dataset.results);
    struct columns columns = add_columns(&dataset.results, comparison);
    frame_reserve(&dataset.results, count);
    for (size_t i = 0; i < count; i++) {
        comparison_evict_at(comparison, i);
        if (i % PORTION == 0)
            frame_evict(&dataset.results);
        put_pair(&dataset.results, &columns, comparison, pair ? pair[i] : i);
    }
    return dataset;
}

struct dataset tables_points(const struct comparison *comparison)
{
    return tables_some_points(comparison, NULL, comparison->pairs);
}

struct view tables_view(const struct dataset *table)
{
    struct view view = view_new(table);
    struct error ignored;
    int kernel = frame_find(&table->results, COLUMN(kernel)),
        time = frame_find(&table->results, COLUMN(time_a));
    for (int i = 0; i < table->results.columns; i++)
        view_add_column(&view, table->results.column[i].name, &ignored);
    for (int i = time; i-- > kernel;)
        view_sort(&view, &view.column[i], false);
    return view;
}
