#include "figure/tables/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tables.h"
#include "base/memory.h"
#include "figure/tables/rows.h"
#include "results/cluster.h"
#include "table/where.h"

#define THRESHOLD 0.01 /* smallest relevant difference, the default of compare and report */

const char *const figure_tables[] = {
    "fleet",       "ratios",   "families", "heat",    "model",     "best",       "stalls",
    "bottlenecks", "roofline", "canaries", "samples", "densities", "timeline",   "residuals",
    "predicted",   "again",    "history",  "ladder",  "links",     "contention", NULL};

/* ---- fleet ---- */

static void add_cluster(struct merged *table, const struct cluster *cluster, struct text *caption)
{
    static const char *const names[] = {COLUMN(rank), COLUMN(effect), COLUMN(effect_low), COLUMN(effect_high),
                                        COLUMN(z)};
    size_t outliers = 0;
    for (size_t i = 0; i < cluster->devices; i++) {
        const struct cluster_device *device = &cluster->device[i];
        const double values[] = {(double)i + 1, 100 * expm1(device->judged.effect), 100 * expm1(device->low),
                                 100 * expm1(device->high), device->judged.z};
        if (isnan(device->judged.effect))
            continue;
        rows_add(table, cluster->product, "fleet", names, values, sizeof values / sizeof *values);
        rows_add_word(table, COLUMN(judged), device->judged.outlier ? "outlier" : "like the rest");
        outliers += device->judged.outlier;
    }
    text_add(caption,
             "%s%zu GPUs, %zu nodes, %zu points, %zu outlier%s; bars: 5th to 95th percentile of points",
             caption->length ? "; " : "", cluster->devices, cluster->nodes, cluster->points, outliers,
             outliers == 1 ? "" : "s");
}

static bool has_three_of_a_model(const struct frame *devices)
{
    for (size_t d = 0; d < devices->rows; d++) {
        size_t same = 0;
        for (size_t k = 0; k < devices->rows; k++)
            same += !strcmp(frame_find_text(devices, d, DEVICE_COLUMN(name)),
                            frame_find_text(devices, k, DEVICE_COLUMN(name)));
        if (same >= 3)
            return true;
    }
    return false;
}

static int make_fleet(const struct table_source *source, struct merged *table, struct text *caption,
                      struct error *why)
{
    static const char none[] = "no three devices of one model measured the same points";
    struct dataset dataset;
    size_t clusters;
    if (source->count != 1)
        return error_set(why, ERROR_USAGE, "it needs one file, not several");
    if (!has_three_of_a_model(&source->all->all.devices)) /* the samples need not be read */
        return error_set(why, ERROR_USAGE, "%s", none);
    if (dataset_read_columns(source->paths[0], true, &dataset, why) != 0)
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
    return error_set(why, ERROR_USAGE, "%s", none);
}

/* ---- ratios ---- */

/* Add the point's axes, which figures can use. */
static void add_axes(struct merged *table, const struct entry *entry)
{
    const struct frame *from = &entry->dataset->results;
    struct frame *frame = &table->all.results;
    for (int i = 0; i < from->columns; i++) {
        const struct column *column = &from->column[i];
        union cell cell = *frame_cell(from, entry->row, i);
        if (column->role != ROLE_AXIS || frame_is_missing(column, cell))
            continue;
        int to =
            frame_join_column(frame, column->name, column->type, ROLE_AXIS, column->unit, column->meaning);
        if (to >= 0)
            frame_put(frame, frame->rows - 1, to, column, cell);
    }
}

/* The device of the first pair from `pair` on that has one: A's device, or B's if B was predicted, because the rows are then
 * drawn as predictions. */
static const char *device_from(const struct comparison *comparison, size_t pair)
{
    for (; pair < comparison->pairs; pair++) {
        const struct entry *entry =
            comparison->predicted_b ? &comparison->pair[pair].b : &comparison->pair[pair].a;
        if (entry->dataset)
            return frame_find_text(&entry->dataset->devices, entry->cells ? entry->cell[0].device : 0,
                                   DEVICE_COLUMN(name));
    }
    return "";
}

static void add_pair(struct merged *table, const struct comparison *comparison, size_t i)
{
    static const char *const names[] = {
        COLUMN(time),    COLUMN(difference),  COLUMN(difference_low), COLUMN(difference_high),
        COLUMN(speedup), COLUMN(speedup_low), COLUMN(speedup_high)};
    const struct verdict_ratio *r = &comparison->ratio[i];
    const struct entry *a = &comparison->pair[i].a;
    if (r->verdict == VERDICT_UNKNOWN)
        return;
    const double values[] = {a->estimate.seconds, 100 * (r->ratio - 1), 100 * (r->low - 1),
                             100 * (r->high - 1), 1 / r->ratio,         1 / r->high,
                             1 / r->low};
    rows_add(table, device_from(comparison, i), frame_find_text(&a->dataset->results, a->row, COLUMN(kernel)),
             names, values, sizeof values / sizeof *values);
    rows_add_word(table, COLUMN(verdict), verdict_words[r->verdict]);
    add_axes(table, a);
}

/* Rank the rows by speed-up, from 1, and add the geometric mean. */
static void rank(struct frame *frame, const struct comparison *comparison, struct text *caption)
{
    int speedup = frame_find(frame, COLUMN(speedup));
    int mean = frame_add_column(frame, COLUMN(mean), COLUMN_REAL, ROLE_OTHER, "", "");
    struct verdict_sums sums = {0};
    for (size_t i = 0; i < comparison->pairs; i++)
        verdict_add(&sums, &comparison->pair[i].a.estimate, &comparison->pair[i].b.estimate);
    struct verdict_ratio all = verdict_group(&comparison->rule, &sums);
    text_add(caption, "%sGeometric mean of the speed-ups %.4g, 95 %% interval %.4g to %.4g",
             caption->length ? "; " : "", 1 / all.ratio, 1 / all.high, 1 / all.low);
    int column = frame_add_column(frame, COLUMN(rank), COLUMN_REAL, ROLE_OTHER, "", "");
    for (size_t row = 0; row < frame->rows; row++) {
        double own = frame_cell(frame, row, speedup)->real, before = 1;
        for (size_t other = 0; other < frame->rows; other++) {
            double its = frame_cell(frame, other, speedup)->real;
            before += its < own || (its == own && other < row);
        }
        frame_put_real(frame, row, column, before);
        frame_put_real(frame, row, mean, 1 / all.ratio);
    }
}

/* A row per family and one for all, placed from top to bottom. */
static void add_families(struct merged *table, const struct comparison *comparison)
{
    static const char *const names[] = {COLUMN(speedup), COLUMN(speedup_low), COLUMN(speedup_high),
                                        COLUMN(place)};
    size_t count, known = 0;
    struct group *group = tables_groups(comparison, &count);
    for (size_t i = 0; i < count; i++)
        known += group[i].ratio.ratio > 0;
    for (size_t i = 0; i < count; i++) {
        const struct verdict_ratio *r = &group[i].ratio;
        if (!(r->ratio > 0))
            continue;
        const double values[] = {1 / r->ratio, 1 / r->high, 1 / r->low, (double)--known};
        rows_add(table, device_from(comparison, 0), group[i].kernel ? group[i].kernel : "all", names, values,
                 sizeof values / sizeof *values);
        rows_add_word(table, COLUMN(verdict), verdict_words[r->verdict]);
    }
    free(group);
}

static int compare(const struct dataset *file, char *const *paths, const char *const *filter, bool families,
                   struct merged *table, struct text *caption, struct error *why)
{
    struct comparison comparison = {0};
    struct view view[2] = {view_new(&file[0]), view_new(&file[1])};
    int failed = 0;
    for (int f = 0; f < 2 && !failed; f++) {
        view_keep_points(&view[f]);
        failed = where_keep_all(&view[f], filter, why);
    }
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
        else if (table->all.results.rows)
            rank(&table->all.results, &comparison, caption);
        text_add(caption, "%s95 %% intervals; %zu faster, %zu slower, %zu same, %zu uncertain",
                 caption->length ? "; " : "", verdicts[VERDICT_FASTER], verdicts[VERDICT_SLOWER],
                 verdicts[VERDICT_SAME], verdicts[VERDICT_UNCERTAIN]);
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
        return error_set(why, ERROR_USAGE, "it needs two files");
    if (dataset_read_columns(paths[0], true, &file[0], why) != 0)
        return -1;
    int failed = dataset_read_columns(paths[1], true, &file[1], why);
    if (!failed) {
        failed = compare(file, paths, filter, families, table, caption, why);
        dataset_free(&file[1]);
    }
    dataset_free(&file[0]);
    if (!failed && !table->all.results.rows)
        return error_set(why, ERROR_USAGE, "no point was measured in both files");
    return failed;
}

/* Differences of two devices are no scatter of a measurement. */
static int check_again(const struct table_source *source, struct error *why)
{
    const struct merged *all = source->all;
    for (int g = 1; g < all->groups; g++) {
        const char *a = all->group[0].label, *b = all->group[g].label; /* "NAME", or "NAME (file)" */
        const char *end = strstr(a, " ("), *other = strstr(b, " (");
        size_t length = end ? (size_t)(end - a) : strlen(a);
        if (length != (other ? (size_t)(other - b) : strlen(b)) || strncmp(a, b, length) != 0)
            return error_set(why, ERROR_USAGE, "it needs two runs of one device, not of two: see speedup");
    }
    return 0;
}

/* ---- Tables of single rows ---- */

static int make_of_rows(const char *name, const struct table_source *source, struct merged *table,
                        struct text *caption, struct error *why)
{
    struct view view = view_new(&source->all->all);
    bool canaries = !strcmp(name, "canaries");
    if (!canaries)
        view_keep_points(&view);
    int failed = where_keep_all(&view, source->filter, why);
    if (failed)
        ;
    else if (canaries)
        failed = points_canaries(&view, table, caption, why);
    else if (!strcmp(name, "model"))
        failed = points_model(&view, table, caption, why);
    else if (!strcmp(name, "residuals"))
        failed = points_residuals(&view, table, caption, why);
    else if (!strcmp(name, "links"))
        failed = links_table(&view, table, caption, why);
    else if (!strcmp(name, "contention"))
        failed = contention_table(source->all, &view, table, caption, why);
    else if (!strcmp(name, "predicted"))
        failed = points_predicted(&view, table, caption, why);
    else if (!strcmp(name, "best"))
        failed = stacks_best(source->all, &view, table, caption, why);
    else if (!strcmp(name, "stalls"))
        failed = stacks_stalls(source->all, &view, table, why);
    else if (!strcmp(name, "bottlenecks"))
        failed = stacks_bottlenecks(source->all, &view, table, why);
    else if (!strcmp(name, "roofline"))
        failed = roofline_table(source->all, &view, table, why);
    else if (!strcmp(name, "ladder"))
        failed = ladder_table(source->all, &view, table, why);
    else
        failed = samples_of(source->paths, source->count, source->all, &view, !strcmp(name, "densities"),
                            table, why);
    view_free(&view);
    return failed;
}

/* ---- timeline ---- */

static int make_timeline(const struct table_source *source, struct merged *table, struct text *caption,
                         struct error *why)
{
    if (source->count != 1)
        return error_set(why, ERROR_USAGE, "it needs one file, not several");
    return timeline_of(source->all, table, caption, why);
}

/* ---- history ---- */

static int make_history(const struct table_source *source, struct merged *table, struct text *caption,
                        struct error *why)
{
    if (source->count < 3)
        return error_set(why, ERROR_USAGE, "it needs three files or more");
    if (source->filter)
        return error_set(why, ERROR_USAGE, "it shows all points, without --where");
    return history_of(source->paths, (size_t)source->count, table, source->title, caption, why);
}

/* ---- heat ---- */

static int make_heat(const struct table_source *source, struct merged *table, struct text *caption,
                     struct error *why)
{
    struct merged ratios = {.all = {.results = frame_new(), .devices = frame_new()}};
    if (!source->heat) {
        figure_table_free(&ratios);
        return error_set(why, ERROR_USAGE, "it needs --heat AXIS,AXIS");
    }
    int failed = make_ratios(source->paths, source->count, source->filter, false, &ratios, caption, why);
    if (!failed)
        failed = heat_of(&ratios.all.results, source->heat, &table->all.results, why);
    figure_table_free(&ratios);
    return failed;
}

int figure_table(const char *name, const struct table_source *source, struct merged *table,
                 struct text *caption, struct error *why)
{
    int groups = source->all->groups;
    *table = (struct merged){.all = {.results = frame_new(), .devices = frame_new()},
                             .group = memory_new((size_t)groups + 1, sizeof *table->group),
                             .groups = groups};
    for (int g = 0; g < groups; g++)
        table->group[g] = source->all->group[g];
    bool again = !strcmp(name, "again"), ratios = again || !strcmp(name, "ratios"),
         families = !strcmp(name, "families");
    int failed = !strcmp(name, "fleet")                   ? make_fleet(source, table, caption, why)
                 : !strcmp(name, "heat")                  ? make_heat(source, table, caption, why)
                 : !strcmp(name, "timeline")              ? make_timeline(source, table, caption, why)
                 : !strcmp(name, "history")               ? make_history(source, table, caption, why)
                 : again && check_again(source, why) != 0 ? -1
                 : ratios || families ? make_ratios(source->paths, source->count, source->filter, families,
                                                    table, caption, why)
                                      : make_of_rows(name, source, table, caption, why);
    if (failed)
        figure_table_free(table);
    return failed;
}

void figure_table_free(struct merged *table)
{
    frame_free(&table->all.results);
    frame_free(&table->all.devices);
    free(table->group);
}
