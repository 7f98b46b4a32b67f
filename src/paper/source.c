#include "paper/source.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/roof.h"
#include "table/heads.h"
#include "table/print_text.h"
#include "table/units.h"
#include "table/view.h"

/* ---- Names ---- */

/* Words of a product's name that say how much memory it has: "80GB", "HBM3", "PCIe" tells two products apart. */
static bool is_memory(const char *word, size_t length)
{
    return (length >= 3 && !strncmp(word, "HBM", 3)) ||
           (length >= 3 && isdigit((unsigned char)*word) && !strncmp(word + length - 2, "GB", 2));
}

/* "NVIDIA H100 80GB HBM3 (a)" → "H100 (a)" */
static void shorten(const char *label, char *out, size_t size)
{
    size_t length = 0;
    *out = '\0';
    while (*label) {
        size_t word = strcspn(label, " ");
        if (strncmp(label, "NVIDIA", word) != 0 && !is_memory(label, word) && length + word + 2 < size)
            length +=
                (size_t)snprintf(out + length, size - length, "%s%.*s", length ? " " : "", (int)word, label);
        label += word + (label[word] == ' ');
    }
}

static void name_groups(struct source *source)
{
    const struct merged *merged = &source->merged;
    source->label = memory_new((size_t)merged->groups + 1, sizeof *source->label);
    for (int g = 0; g < merged->groups; g++)
        shorten(merged->group[g].label, source->label[g], sizeof *source->label);
    for (int g = 0; g < merged->groups; g++)
        for (int other = 0; other < g; other++)
            if (!*source->label[g] || !strcmp(source->label[g], source->label[other])) {
                snprintf(source->label[g], sizeof *source->label, "%.127s", merged->group[g].label);
                snprintf(source->label[other], sizeof *source->label, "%.127s", merged->group[other].label);
            }
}

const char *source_file(const struct source *source, int file)
{
    const char *slash = strrchr(source->path[file], '/');
    return slash ? slash + 1 : source->path[file];
}

/* ---- Families ---- */

bool source_is_ok(const struct source *source, size_t row)
{
    return row != SOURCE_NONE && status_is_ok(merge_text(&source->merged, row, COLUMN(status)));
}

/* Arithmetic, where it bounds most points; else bytes. `rows`: of the family. */
static enum source_quantity choose_quantity(const struct source *source, const struct view *rows)
{
    const struct frame *results = &source->merged.all.results;
    size_t flops = 0, others = 0;
    bool rated = false;
    for (size_t i = 0; i < rows->rows; i++) {
        size_t row = rows->row[i];
        dataset_evict_at(rows->dataset, i);
        if (!source_is_ok(source, row))
            continue;
        if (isfinite(frame_find_real(results, row, COLUMN(latency_p50))))
            return QUANTITY_CYCLES;
        bool flop = !strncmp(frame_find_text(results, row, COLUMN(roof)), "flop", 4);
        flops += flop;
        others += !flop;
        rated = rated || isfinite(frame_find_real(results, row, COLUMN(bandwidth)));
    }
    return flops > others ? QUANTITY_FLOPS : rated ? QUANTITY_BANDWIDTH : QUANTITY_TIME;
}

/* Whether an axis takes more than one value among the family's rows. */
static bool varies(const struct view *rows, int column)
{
    const struct frame *results = &rows->dataset->results;
    const struct view_column axis = {.index = column};
    size_t first = SOURCE_NONE;
    for (size_t i = 0; i < rows->rows; i++) {
        size_t row = rows->row[i];
        dataset_evict_at(rows->dataset, i);
        if (frame_is_missing(&results->column[column], *frame_cell(results, row, column)))
            continue;
        if (first == SOURCE_NONE)
            first = row;
        else if (view_compare(rows->dataset, &axis, row, first) != 0)
            return true;
    }
    return false;
}

static bool is_of_kernel(const struct view *view, size_t row, void *context)
{
    int kernel = frame_find(&view->dataset->results, COLUMN(kernel));
    return frame_cell(&view->dataset->results, row, kernel)->text == context; /* interned */
}

/* `kernel`: a text of the merged frame. */
static void add_family(struct source *source, const char *kernel)
{
    const struct frame *results = &source->merged.all.results;
    struct view rows = view_new(&source->merged.all);
    view_keep(&rows, is_of_kernel, (void *)kernel);
    source->family = memory_resize(source->family, (size_t)source->families + 1, sizeof *source->family);
    struct source_family *family = &source->family[source->families++];
    *family = (struct source_family){.name = kernel, .quantity = choose_quantity(source, &rows)};
    family->axis = memory_new((size_t)results->columns + 1, sizeof *family->axis);
    for (int i = 0; i < results->columns; i++)
        if (results->column[i].role == ROLE_AXIS && strcmp(results->column[i].name, "variant") != 0 &&
            varies(&rows, i))
            family->axis[family->axes++] = i;
    for (size_t i = 0; i < rows.rows && !family->bounded; i++)
        family->bounded = source_is_ok(source, rows.row[i]) &&
                          frame_find_real(results, rows.row[i], COLUMN(fraction_peak)) > 0;
    frame_evict(results);
    view_free(&rows);
}

static int compare_families(const void *a, const void *b)
{
    const struct source_family *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void find_families(struct source *source)
{
    const struct frame *results = &source->merged.all.results;
    const char *last = NULL;
    for (size_t row = 0; row < results->rows; row++) {
        const char *kernel = frame_find_text(results, row, COLUMN(kernel));
        bool known = last == kernel;
        for (int f = 0; f < source->families && !known; f++)
            known = !strcmp(source->family[f].name, kernel);
        if (!known)
            add_family(source, kernel);
        last = kernel;
    }
    if (source->families)
        qsort(source->family, (size_t)source->families, sizeof *source->family, compare_families);
}

/* ---- Points ---- */

struct found {
    const char *kernel, *id;
    int group;
    size_t row;
};

static int compare_found(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    int order = x->kernel == y->kernel ? 0 : strcmp(x->kernel, y->kernel);
    order = order ? order : strcmp(x->id, y->id);
    order = order ? order : x->group - y->group;
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

struct ordering {
    const struct source *source;
    size_t compared;
};

static size_t first_row(const struct source *source, const struct source_point *point)
{
    int g = 0;
    while (g + 1 < source->merged.groups && point->row[g] == SOURCE_NONE)
        g++;
    return point->row[g];
}

static int compare_first_rows(const void *a, const void *b, void *context)
{
    size_t x = first_row(context, a), y = first_row(context, b);
    return (x > y) - (x < y);
}

/* Of one kernel, by variant and then by the axes in the file's order. */
static int compare_points(const void *a, const void *b, void *context)
{
    enum { MANY = 1 << 16 };
    struct ordering *ordering = context;
    const struct source *source = ordering->source;
    const struct source_point *x = a, *y = b;
    if (++ordering->compared % MANY == 0) /* they are all over the columns */
        frame_evict(&source->merged.all.results);
    int order = x->kernel == y->kernel ? 0 : strcmp(x->kernel, y->kernel);
    size_t rows[2] = {first_row(source, x), first_row(source, y)};
    for (int i = 0; i < source->axes && !order; i++) {
        struct view_column column = {.index = source->axis[i]};
        order = view_compare(&source->merged.all, &column, rows[0], rows[1]);
    }
    return order ? order : strcmp(x->id, y->id);
}

/* Whether rows of one family differ in an axis, if only by missing it. */
static bool orders_points(const struct source *source, int column)
{
    const struct frame *results = &source->merged.all.results;
    int kernel = frame_find(results, COLUMN(kernel)), f = 0;
    size_t *first = memory_new((size_t)source->families + 1, sizeof *first); /* row + 1; 0: none yet */
    bool differ = false;
    for (size_t row = 0; row < results->rows && !differ; row++) {
        const char *name = frame_cell(results, row, kernel)->text; /* interned */
        dataset_evict_at(&source->merged.all, row);
        if (source->family[f].name != name)
            for (f = 0; strcmp(source->family[f].name, name) != 0;)
                f++;
        first[f] = first[f] ? first[f] : row + 1;
        differ = !frame_same_cell(&results->column[column], *frame_cell(results, row, column),
                                  *frame_cell(results, first[f] - 1, column));
    }
    free(first);
    return differ;
}

static size_t find_rows(const struct source *source, struct found *found)
{
    const struct frame *results = &source->merged.all.results;
    int repeat = frame_find(results, COLUMN(repeat)), group = frame_find(results, MERGE_GROUP);
    size_t count = 0;
    for (size_t row = 0; row < results->rows; row++) {
        dataset_evict_at(&source->merged.all, row);
        int of = merge_find_group(&source->merged, frame_cell(results, row, group)->text);
        if (of >= 0 && (repeat < 0 || frame_cell(results, row, repeat)->integer <= 0))
            found[count++] = (struct found){frame_find_text(results, row, COLUMN(kernel)),
                                            frame_find_text(results, row, COLUMN(id)), of, row};
    }
    if (count)
        qsort(found, count, sizeof *found, compare_found);
    return count;
}

static void find_points(struct source *source)
{
    const struct frame *results = &source->merged.all.results;
    size_t groups = (size_t)source->merged.groups;
    struct found *found = memory_new(results->rows + 1, sizeof *found);
    size_t count = find_rows(source, found);
    source->point = memory_new(count + 1, sizeof *source->point);
    source->rows = memory_new(count * groups + 1, sizeof *source->rows);
    for (size_t i = 0; i < count; i++) {
        struct source_point *point = &source->point[source->points];
        if (i == 0 || strcmp(found[i].id, found[i - 1].id) != 0 ||
            strcmp(found[i].kernel, found[i - 1].kernel) != 0) {
            *point =
                (struct source_point){found[i].id, found[i].kernel, source->rows + source->points * groups};
            for (size_t g = 0; g < groups; g++)
                point->row[g] = SOURCE_NONE;
            source->points++;
            for (int f = 0; f < source->families; f++)
                source->family[f].points += source->family[f].name == found[i].kernel;
        }
        point = &source->point[source->points - 1];
        if (point->row[found[i].group] == SOURCE_NONE)
            point->row[found[i].group] = found[i].row;
    }
    free(found);
    source->axis = memory_new((size_t)results->columns + 1, sizeof *source->axis);
    for (int i = 0; i < results->columns; i++)
        if (results->column[i].role == ROLE_AXIS && orders_points(source, i))
            source->axis[source->axes++] = i;
    struct ordering ordering = {source, 0};
    if (source
            ->points) { /* rows are mostly in the order of their axes, and near in memory: so the second sort has less to do */
        qsort_r(source->point, source->points, sizeof *source->point, compare_first_rows, source);
        qsort_r(source->point, source->points, sizeof *source->point, compare_points, &ordering);
    }
    for (int f = 1; f < source->families; f++) /* both are sorted by the kernels' names */
        source->family[f].first = source->family[f - 1].first + source->family[f - 1].points;
    frame_evict(results);
}

int source_read(char *const *paths, int count, struct source *source, struct error *error)
{
    *source = (struct source){.path = paths};
    if (merge_read(paths, count, &source->merged, error) != 0)
        return -1;
    source->file = memory_new((size_t)count, sizeof *source->file);
    for (; source->files < count; source->files++)
        if (dataset_read_columns(paths[source->files], count > 1, &source->file[source->files], error) != 0) {
            source_free(source);
            return -1;
        }
    name_groups(source);
    find_families(source);
    find_points(source);
    return 0;
}

void source_free(struct source *source)
{
    for (int i = 0; i < source->files; i++)
        dataset_free(&source->file[i]);
    for (int i = 0; i < source->families; i++)
        free(source->family[i].axis);
    free(source->rows);
    free(source->axis);
    free(source->file);
    free(source->label);
    free(source->family);
    free(source->point);
    merge_free(&source->merged);
    *source = (struct source){0};
}

/* ---- Of a row ---- */

double source_value(const struct source *source, const struct source_family *family, size_t row, double *half)
{
    static const char *const columns[] = {[QUANTITY_BANDWIDTH] = COLUMN(bandwidth),
                                          [QUANTITY_FLOPS] = COLUMN(flop_rate),
                                          [QUANTITY_CYCLES] = COLUMN(latency_p50),
                                          [QUANTITY_TIME] = COLUMN(time_median)};
    *half = NAN;
    if (!source_is_ok(source, row))
        return NAN;
    double value = merge_real(&source->merged, row, columns[family->quantity]) /
                   units_scale(source_unit(family->quantity));
    if (family->quantity != QUANTITY_CYCLES)
        *half = value * heads_time_error(&source->merged.all.results, row);
    return value;
}

/* What rows of a family are ranked by, larger is better: the share of the roof where some of them have one, else the
 * quantity. NaN where it was not measured. */
static double rank_of(const struct source *source, const struct source_family *family, size_t row)
{
    double half;
    if (family->bounded)
        return source_share(source, row, &half);
    double value = source_value(source, family, row, &half);
    return family->quantity >= QUANTITY_CYCLES ? -value : value;
}

/* Of this variant; NULL: of any. */
static bool is_variant(const struct source *source, size_t row, const char *variant)
{
    return !variant || !strcmp(merge_text(&source->merged, row, COLUMN(variant)), variant);
}

size_t source_ranked(const struct source *source, const struct source_family *family, int group,
                     const char *variant)
{
    size_t count = 0;
    for (size_t i = family->first; i < family->first + family->points; i++) {
        size_t row = source->point[i].row[group];
        count +=
            row != SOURCE_NONE && is_variant(source, row, variant) && isfinite(rank_of(source, family, row));
    }
    return count;
}

size_t source_best(const struct source *source, const struct source_family *family, int group,
                   const char *variant)
{
    size_t best = SOURCE_NONE;
    double most = NAN;
    for (size_t i = family->first; i < family->first + family->points; i++) {
        size_t row = source->point[i].row[group];
        dataset_evict_at(&source->merged.all, i);
        if (row == SOURCE_NONE || !is_variant(source, row, variant))
            continue;
        double rank = rank_of(source, family, row);
        if (isfinite(rank) && !(rank <= most)) {
            most = rank;
            best = row;
        }
    }
    return best;
}

const char *source_unit(enum source_quantity quantity)
{
    static const char *const units[] = {"GB/s", "TFLOP/s", "cycles", "us"};
    return units[quantity];
}

const char *source_quantity_name(enum source_quantity quantity)
{
    static const char *const names[] = {"bandwidth", "rate", "latency", "time"};
    return names[quantity];
}

double source_share(const struct source *source, size_t row, double *half)
{
    *half = NAN;
    if (!source_is_ok(source, row))
        return NAN;
    double share = 100 * merge_real(&source->merged, row, COLUMN(fraction_peak));
    *half = share * heads_share_error(&source->merged.all.results, row);
    return share;
}

void source_describe(const struct source *source, const struct source_family *family, size_t row,
                     bool variant, struct text *out)
{
    const struct frame *results = &source->merged.all.results;
    const char *word = frame_find_text(results, row, COLUMN(variant));
    bool any = variant && *word;
    if (any)
        text_add(out, "%s", word);
    for (int i = 0; i < family->axes; i++) {
        char value[256];
        const struct column *column = &results->column[family->axis[i]];
        union cell cell = *frame_cell(results, row, family->axis[i]);
        struct view_column axis = {.index = family->axis[i]};
        snprintf(axis.name, sizeof axis.name, "%s", column->name);
        bool limits = !view_is_no_limit(&source->merged.all, row, &axis) || cell.integer == 0; /* not 16TiB */
        if (frame_is_missing(column, cell) || !limits)
            continue;
        print_human(column, cell, value, sizeof value);
        text_add(out, "%s%s %s", any ? ", " : "", column->name, value);
        any = true;
    }
}

const char *source_roof(const struct source *source, size_t row)
{
    int kind = text_find(roof_words, merge_text(&source->merged, row, COLUMN(roof)));
    return kind > ROOF_none
               ? roof_name(roof_by_bytes((enum roof_kind)kind,
                                         merge_real(&source->merged, row, COLUMN(bytes_read)),
                                         merge_real(&source->merged, row, COLUMN(bytes_written))))
               : "";
}
