#include "cli/figure/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/tables.h"
#include "cli/data/cluster.h"
#include "cli/data/where.h"

#define THRESHOLD 0.01 /* the smallest difference that matters, as compare and report have it */

const char *const figure_tables[] = {"fleet", "ratios", "families", "model", NULL};

/* What rows of /results have, and one real after the other. */
static void add_row(struct merged *table, const char *group, const char *kernel, const char *const *names,
                    const double *values, int count)
{
    struct frame *frame = &table->all.results;
    size_t row = frame->rows;
    int kernel_column = frame_add_column(frame, "kernel", COLUMN_TEXT, ROLE_IDENTITY, "", "");
    int status = frame_add_column(frame, "status", COLUMN_TEXT, ROLE_STATUS, "", "");
    int repeat = frame_add_column(frame, "repeat", COLUMN_INTEGER, ROLE_IDENTITY, "", "");
    int source = frame_add_column(frame, MERGE_GROUP, COLUMN_TEXT, ROLE_IDENTITY, "", "");
    for (int i = 0; i < count; i++)
        frame_add_column(frame, names[i], COLUMN_REAL, ROLE_OTHER, "", "");
    frame_add_row(frame);
    frame_put_text(frame, row, kernel_column, kernel);
    frame_put_text(frame, row, status, status_words[STATUS_OK]);
    frame_put_integer(frame, row, repeat, 0);
    frame_put_text(frame, row, source, group);
    for (int i = 0; i < count; i++)
        frame_put_real(frame, row, frame_find(frame, names[i]), values[i]);
}

static void add_word(struct merged *table, const char *name, const char *word)
{
    struct frame *frame = &table->all.results;
    int column = frame_add_column(frame, name, COLUMN_TEXT, ROLE_OTHER, "", "");
    frame_put_text(frame, frame->rows - 1, column, word);
}

/* ---- fleet ---- */

static void add_cluster(struct merged *table, const struct cluster *cluster, struct text *caption)
{
    static const char *const names[] = {"rank", "effect", "effect_low", "effect_high", "z"};
    size_t outliers = 0;
    for (size_t i = 0; i < cluster->devices; i++) {
        const struct cluster_device *device = &cluster->device[i];
        const double values[] = {(double)i + 1, 100 * expm1(device->judged.effect), 100 * expm1(device->low),
                                 100 * expm1(device->high), device->judged.z};
        if (isnan(device->judged.effect))
            continue;
        add_row(table, cluster->product, "fleet", names, values, sizeof values / sizeof *values);
        add_word(table, "judged", device->judged.outlier ? "outlier" : "like the rest");
        outliers += device->judged.outlier;
    }
    text_add(caption,
             "%s%zu GPUs, %zu nodes, %zu points, %zu outlier%s; bars: 5th to 95th percentile of points",
             caption->length ? "; " : "", cluster->devices, cluster->nodes, cluster->points, outliers,
             outliers == 1 ? "" : "s");
}

static int make_fleet(char *const *paths, int count, struct merged *table, struct text *caption,
                      struct error *why)
{
    struct dataset dataset;
    size_t clusters;
    if (count != 1)
        return error_set(why, ERROR_USAGE, "a fleet is one file's");
    if (dataset_read(paths[0], &dataset, why) != 0)
        return -1;
    struct cluster *cluster = clusters_of(&dataset, THRESHOLD, &clusters);
    for (size_t i = 0; i < clusters; i++) {
        if (cluster[i].points)
            add_cluster(table, &cluster[i], caption);
        cluster_free(&cluster[i]);
    }
    free(cluster);
    dataset_free(&dataset);
    if (table->all.results.rows)
        return 0;
    return error_set(why, ERROR_USAGE, "no three devices of a product measured the same points");
}

/* ---- ratios ---- */

/* The point's own axes, so that figures can be of them. */
static void add_axes(struct merged *table, const struct entry *entry)
{
    const struct frame *from = &entry->dataset->results;
    struct frame *frame = &table->all.results;
    for (int i = 0; i < from->columns; i++) {
        const struct column *column = &from->column[i];
        union cell cell = frame_row(from, entry->row)[i];
        if (column->role != ROLE_AXIS || frame_is_missing(column, cell))
            continue;
        int to =
            frame_join_column(frame, column->name, column->type, ROLE_AXIS, column->unit, column->meaning);
        if (to >= 0)
            frame_put(frame, frame->rows - 1, to, column, cell);
    }
}

static void add_pair(struct merged *table, const struct comparison *comparison, size_t i)
{
    static const char *const names[] = {"time",    "difference",  "difference_low", "difference_high",
                                        "speedup", "speedup_low", "speedup_high"};
    const struct verdict_ratio *r = &comparison->ratio[i];
    const struct entry *a = &comparison->pair[i].a;
    if (r->verdict == VERDICT_UNKNOWN)
        return;
    const double values[] = {a->estimate.seconds, 100 * (r->ratio - 1), 100 * (r->low - 1),
                             100 * (r->high - 1), 1 / r->ratio,         1 / r->high,
                             1 / r->low};
    add_row(table, frame_find_text(&a->dataset->devices, a->cell[0].device, "name"),
            frame_find_text(&a->dataset->results, a->row, "kernel"), names, values,
            sizeof values / sizeof *values);
    add_word(table, "verdict", verdict_words[r->verdict]);
    add_axes(table, a);
}

/* Give each row its place by speed-up, from 1. */
static void rank(struct frame *frame)
{
    int speedup = frame_find(frame, "speedup");
    int column = frame_add_column(frame, "rank", COLUMN_REAL, ROLE_OTHER, "", "");
    for (size_t row = 0; row < frame->rows; row++) {
        double own = frame_row(frame, row)[speedup].real, before = 1;
        for (size_t other = 0; other < frame->rows; other++) {
            double its = frame_row(frame, other)[speedup].real;
            before += its < own || (its == own && other < row);
        }
        frame_put_real(frame, row, column, before);
    }
}

/* A row a family, and one for all. */
static void add_families(struct merged *table, const struct comparison *comparison)
{
    static const char *const names[] = {"speedup", "speedup_low", "speedup_high", "place"};
    size_t count;
    struct group *group = tables_groups(comparison, &count);
    for (size_t i = 0; i < count; i++) {
        const struct verdict_ratio *r = &group[i].ratio;
        const double values[] = {1 / r->ratio, 1 / r->high, 1 / r->low, (double)(count - 1 - i)};
        if (!(r->ratio > 0))
            continue;
        add_row(table, frame_find_text(&comparison->pair[0].a.dataset->devices, 0, "name"),
                group[i].kernel ? group[i].kernel : "all", names, values, sizeof values / sizeof *values);
        add_word(table, "verdict", verdict_words[r->verdict]);
    }
    free(group);
}

static bool is_point(const struct view *view, size_t row, void *context)
{
    const int *repeat = context;
    return frame_row(&view->dataset->results, row)[*repeat].integer == 0;
}

/* The points of a file that the user's conditions leave. */
static int filtered(const struct dataset *file, const char *const *filter, struct view *view,
                    struct error *why)
{
    struct where *where = where_new(file);
    int repeat = frame_find(&file->results, "repeat"), failed = 0;
    if (repeat >= 0)
        view_keep(view, is_point, &repeat);
    for (int i = 0; filter && filter[i] && !failed; i++)
        failed = where_add(where, filter[i], why);
    if (!failed)
        where_keep(where, view);
    where_free(where);
    return failed;
}

static int compare(const struct dataset *file, char *const *paths, const char *const *filter, bool families,
                   struct merged *table, struct text *caption, struct error *why)
{
    struct comparison comparison = {0};
    struct view view[2] = {view_new(&file[0]), view_new(&file[1])};
    int failed = 0;
    for (int f = 0; f < 2 && !failed; f++)
        failed = filtered(&file[f], filter, &view[f], why);
    if (!failed) {
        comparison_of_files(&view[0], &view[1], paths, &comparison);
        failed = comparison_check(&comparison, false, why);
    }
    if (!failed) {
        size_t verdicts[VERDICT_COUNT] = {0};
        comparison_judge(&comparison, THRESHOLD);
        for (size_t i = 0; i < comparison.pairs; i++) {
            if (!families)
                add_pair(table, &comparison, i);
            verdicts[comparison.ratio[i].verdict]++;
        }
        if (families)
            add_families(table, &comparison);
        else
            rank(&table->all.results);
        text_add(caption, "95 %% intervals; %zu faster, %zu slower, %zu same, %zu uncertain",
                 verdicts[VERDICT_FASTER], verdicts[VERDICT_SLOWER], verdicts[VERDICT_SAME],
                 verdicts[VERDICT_UNCERTAIN]);
    }
    comparison_free(&comparison);
    view_free(&view[0]);
    view_free(&view[1]);
    return failed;
}

static int make_ratios(char *const *paths, int count, const char *const *filter, bool families,
                       struct merged *table, struct text *caption, struct error *why)
{
    struct dataset file[2];
    if (count != 2)
        return error_set(why, ERROR_USAGE, "it compares two files");
    if (dataset_read(paths[0], &file[0], why) != 0)
        return -1;
    int failed = dataset_read(paths[1], &file[1], why);
    if (!failed) {
        failed = compare(file, paths, filter, families, table, caption, why);
        dataset_free(&file[1]);
    }
    dataset_free(&file[0]);
    if (!failed && !table->all.results.rows)
        return error_set(why, ERROR_USAGE, "no point was measured in both files");
    return failed;
}

/* ---- model ---- */

static void add_access(struct merged *table, const struct frame *from, size_t row, const char *access,
                       const char *predicted, const char *counted)
{
    static const char *const names[] = {"predicted", "counted"};
    const double values[] = {frame_find_real(from, row, predicted), frame_find_real(from, row, counted)};
    if (!(values[0] > 0 && values[1] > 0))
        return;
    add_row(table, frame_find_text(from, row, MERGE_GROUP), frame_find_text(from, row, "kernel"), names,
            values, sizeof values / sizeof *values);
    add_word(table, "access", access);
}

static int make_model(const char *const *filter, const struct merged *all, struct merged *table,
                      struct error *why)
{
    struct view view = view_new(&all->all);
    int failed = filtered(&all->all, filter, &view, why);
    for (size_t i = 0; i < view.rows && !failed; i++) {
        const struct frame *from = &all->all.results;
        add_access(table, from, view.row[i], "loads", "predicted_load_sectors_per_request",
                   "load_sectors_per_request");
        add_access(table, from, view.row[i], "stores", "predicted_store_sectors_per_request",
                   "store_sectors_per_request");
    }
    view_free(&view);
    if (!failed && !table->all.results.rows)
        return error_set(why, ERROR_USAGE, "no point was both counted and predicted");
    return failed;
}

int figure_table(const char *name, char *const *paths, int count, const char *const *filter,
                 const struct merged *all, struct merged *table, struct text *caption, struct error *why)
{
    *table = (struct merged){
        .all = {.results = frame_new(), .devices = frame_new()}, .group = all->group, .groups = all->groups};
    int failed = !strcmp(name, "fleet") ? make_fleet(paths, count, table, caption, why)
                 : !strcmp(name, "model")
                     ? make_model(filter, all, table, why)
                     : make_ratios(paths, count, filter, !strcmp(name, "families"), table, caption, why);
    if (failed)
        figure_table_free(table);
    return failed;
}

void figure_table_free(struct merged *table)
{
    frame_free(&table->all.results);
    frame_free(&table->all.devices);
}
