#include "figure/tables/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bends.h"
#include "analysis/trend.h"
#include "base/io.h"
#include "base/memory.h"

#define THRESHOLD   0.01 /* the default of `history` */
#define PATTERNS    3    /* panels of points, besides that of all */
#define CHANGES_MAX 4    /* marked in a panel: the largest */

/* Points that change at the same runs, in the same directions: the one that changes most stands for them. */
struct pattern {
    size_t row; /* of the last file */
    size_t points;
    double most; /* |log ratio| */
};

static double size_of(const struct trend_change *change)
{
    return fabs(change->ratio.log_ratio);
}

static size_t next_of(const struct trend *trend, size_t row, size_t from)
{
    while (from < trend->changes && trend->change[from].row != row)
        from++;
    return from;
}

static bool is_alike(const struct trend *trend, size_t row, size_t other)
{
    size_t a = next_of(trend, row, 0), b = next_of(trend, other, 0);
    while (a < trend->changes && b < trend->changes) {
        const struct trend_change *x = &trend->change[a], *y = &trend->change[b];
        if (x->run != y->run || x->ratio.verdict != y->ratio.verdict)
            return false;
        a = next_of(trend, row, a + 1);
        b = next_of(trend, other, b + 1);
    }
    return a == trend->changes && b == trend->changes;
}

static int by_size(const void *a, const void *b)
{
    const struct pattern *x = a, *y = b;
    return (x->most < y->most) - (x->most > y->most);
}

/* The patterns, the largest change first. `points`: how many points changed. The caller frees. */
static struct pattern *find_patterns(const struct trend *trend, size_t *count, size_t *points)
{
    struct pattern *pattern = memory_new(trend->changes + 1, sizeof *pattern);
    *count = *points = 0;
    for (size_t i = 0; i < trend->changes; i++) {
        size_t row = trend->change[i].row, p = 0;
        if (next_of(trend, row, 0) != i)
            continue;
        struct pattern own = {row, 1, 0};
        for (size_t k = i; k < trend->changes; k = next_of(trend, row, k + 1))
            own.most = fmax(own.most, size_of(&trend->change[k]));
        ++*points;
        while (p < *count && !is_alike(trend, row, pattern[p].row))
            p++;
        if (p == *count) {
            pattern[(*count)++] = own;
            continue;
        }
        own.points += pattern[p].points;
        if (own.most < pattern[p].most) {
            own.row = pattern[p].row;
            own.most = pattern[p].most;
        }
        pattern[p] = own;
    }
    qsort(pattern, *count, sizeof *pattern, by_size);
    return pattern;
}

/* ---- Rows ---- */

/* What a panel marks. */
struct marks {
    struct {
        size_t run;
        char name[96];
        double size;
    } mark[CHANGES_MAX];
    int count;
};

/* The largest ones stay. */
static void add_mark(struct marks *marks, size_t run, const char *name, double size)
{
    int to = marks->count;
    if (to == CHANGES_MAX) {
        to = 0;
        for (int i = 1; i < CHANGES_MAX; i++)
            to = marks->mark[i].size < marks->mark[to].size ? i : to;
        if (marks->mark[to].size >= size)
            return;
    } else {
        marks->count++;
    }
    marks->mark[to].run = run;
    marks->mark[to].size = size;
    snprintf(marks->mark[to].name, sizeof marks->mark[to].name, "%s", name);
}

static void add_row(struct merged *table, const char *panel, size_t run, const double change[3],
                    const struct marks *marks)
{
    static const char *const names[] = {COLUMN(order), COLUMN(change), COLUMN(change_low),
                                        COLUMN(change_high)};
    const double values[] = {(double)run + 1, change[0], change[1], change[2]};
    struct frame *frame = &table->all.results;
    rows_add(table, table->group[0].label, "times", names, values, sizeof values / sizeof *values);
    rows_add_word(table, COLUMN(quantity), panel);
    for (int i = 0; i < CHANGES_MAX; i++) {
        char name[32];
        snprintf(name, sizeof name, "change_%d", i + 1);
        int column = frame_add_column(frame, name, COLUMN_INTEGER, ROLE_OTHER, "", "");
        if (i < marks->count)
            frame_put_integer(frame, frame->rows - 1, column, (int64_t)marks->mark[i].run + 1);
        snprintf(name, sizeof name, "change_%d_name", i + 1);
        rows_add_word(table, name, i < marks->count ? marks->mark[i].name : "");
    }
}

/* The mean over all points; where the machine's own properties changed. */
static void add_level(struct merged *table, const struct trend *trend)
{
    struct marks marks = {.count = 0};
    char panel[64];
    for (size_t from = 0, to; from < trend->changes; from = to) {
        struct text names = {0};
        for (to = from; to < trend->changes && trend->change[to].run == trend->change[from].run; to++)
            ;
        trend_context(trend, trend->change[from].run, TREND_NAMES, &names);
        add_mark(&marks, trend->change[from].run, names.length ? names.data : "unknown", (double)(to - from));
        text_free(&names);
    }
    snprintf(panel, sizeof panel, "all %zu points, mean", trend->points);
    for (size_t run = 0; run < trend->runs; run++) {
        const struct verdict_ratio *level = &trend->level[run];
        bool last = run + 1 == trend->runs;
        if (last || level->ratio > 0)
            add_row(table, panel, run,
                    (double[]){last ? 0 : 100 * (level->ratio - 1), last ? NAN : 100 * (level->low - 1),
                               last ? NAN : 100 * (level->high - 1)},
                    &marks);
    }
}

/* The row of a point in a run; the number of rows if it has none. */
static size_t row_in(const struct dataset *file, const char *id)
{
    size_t row = 0;
    while (row < file->results.rows && (!dataset_is_point(file, row) ||
                                        strcmp(frame_find_text(&file->results, row, COLUMN(id)), id) != 0 ||
                                        !(frame_find_real(&file->results, row, COLUMN(time_median)) > 0)))
        row++;
    return row;
}

static void name_panel(const struct trend *trend, const struct pattern *pattern, char *out, size_t size)
{
    const struct merged last = {.all = trend->file[trend->runs - 1]};
    struct view view = view_new(&last.all);
    struct text axes = {0};
    size_t kept = 0;
    for (size_t i = 0; i < view.rows; i++) /* the axes in which the points that changed differ */
        if (next_of(trend, view.row[i], 0) < trend->changes)
            view.row[kept++] = view.row[i];
    view.rows = kept;
    bends_describe_row(&last, &view, pattern->row, NULL, &axes);
    snprintf(out, size, "%s%s%s", frame_find_text(&last.all.results, pattern->row, COLUMN(kernel)),
             axes.length ? " " : "", axes.length ? axes.data : "");
    text_free(&axes);
    view_free(&view);
}

static void add_point(struct merged *table, const struct trend *trend, const struct pattern *pattern,
                      struct text *caption)
{
    const struct frame *last = &trend->file[trend->runs - 1].results;
    const char *id = frame_find_text(last, pattern->row, COLUMN(id));
    double base = frame_find_real(last, pattern->row, COLUMN(time_median));
    struct marks marks = {.count = 0};
    char panel[128], name[96];
    for (size_t i = next_of(trend, pattern->row, 0); i < trend->changes;
         i = next_of(trend, pattern->row, i + 1)) {
        const struct verdict_ratio *r = &trend->change[i].ratio;
        snprintf(name, sizeof name, "%+.1f ± %.1f", 100 * (r->ratio - 1), 50 * (r->high - r->low));
        add_mark(&marks, trend->change[i].run, name, size_of(&trend->change[i]));
    }
    name_panel(trend, pattern, panel, sizeof panel);
    for (size_t run = 0; run < trend->runs; run++) {
        const struct frame *results = &trend->file[run].results;
        size_t row = row_in(&trend->file[run], id);
        static const char *const times[] = {COLUMN(time_median), COLUMN(time_ci_low), COLUMN(time_ci_high)};
        double change[3];
        for (int i = 0; i < 3 && row < results->rows; i++)
            change[i] = 100 * (frame_find_real(results, row, times[i]) / base - 1);
        if (row < results->rows)
            add_row(table, panel, run, change, &marks);
    }
    text_add(caption, "%s%s: %zu point%s", caption->length ? ". " : "", panel, pattern->points,
             pattern->points == 1 ? " changes in this way" : "s change in the same way");
}

/* ---- Words ---- */

/* The title: how many points change, at how many runs, by how much, and what else always changed there. The caption: what else
 * changed at each. */
static void tell(const struct trend *trend, size_t points, struct text *title, struct text *caption)
{
    const struct trend_change *most = NULL;
    struct text common = {0};
    size_t places = 0;
    for (size_t i = 0; i < trend->changes; i++) {
        const struct trend_change *change = &trend->change[i];
        if (!most || size_of(change) > size_of(most))
            most = change;
        if (i && change->run == trend->change[i - 1].run)
            continue;
        struct text context = {0};
        trend_context(trend, change->run, TREND_NEW, &context);
        text_add(caption, "%s run %zu: %s", caption->length ? ";" : "From", change->run + 1,
                 context.length ? context.data : "nothing else that the files tell");
        text_free(&context);
        places++;
    }
    if (!most) {
        text_add(title, "No lasting change of %zu points over %zu runs", trend->points, trend->runs);
        return;
    }
    trend_common(trend, &common);
    text_add(title,
             "%zu of %zu points change lastingly, at %zu of %zu runs, by up to %+.1f %% (%.1f to %.1f)",
             points, trend->points, places, trend->runs, 100 * (most->ratio.ratio - 1),
             100 * (most->ratio.low - 1), 100 * (most->ratio.high - 1));
    if (common.length)
        text_add(title, ", each time with another %s", common.data);
    text_free(&common);
}

/* The runs as one source: what of their devices and dates the caption names. */
static void name_group(const struct trend *trend, char *const *paths, struct merged *table)
{
    struct merge_group *group = &table->group[0];
    struct text files = {0};
    const char *starts[2], *driver = frame_find_text(&trend->file[0].devices, 0, DEVICE_COLUMN(driver));
    bool same = true;
    for (size_t run = 0; run < trend->runs; run++)
        same &= !strcmp(frame_find_text(&trend->file[run].devices, 0, DEVICE_COLUMN(driver)), driver);
    for (int i = 0; i < 2; i++)
        starts[i] = dataset_environment(&trend->file[i ? trend->runs - 1 : 0], "start");
    group->label =
        frame_text(&table->all.results, frame_find_text(&trend->file[0].devices, 0, DEVICE_COLUMN(name)));
    group->note[0] = '\0';
    snprintf(group->caption, sizeof group->caption, "%.60s, %zu runs, %s %.30s\n%.10s to %.10s\n",
             group->label, trend->runs, same ? "driver" : "several drivers, first", driver, starts[0],
             starts[1]);
    text_add(&files, "%s and %zu others", io_file_name(paths[0]), trend->runs - 1);
    group->file = frame_text(&table->all.results, files.data);
    text_free(&files);
}

int history_of(char *const *paths, size_t count, struct merged *table, struct text *title,
               struct text *caption, struct error *why)
{
    struct dataset *file = datasets_read(paths, count, why);
    if (!file)
        return -1;
    int failed = trend_sort(file, count, why);
    if (!failed) {
        struct trend trend = trend_of(file, count, THRESHOLD);
        size_t patterns, points;
        struct pattern *pattern = find_patterns(&trend, &patterns, &points);
        name_group(&trend, paths, table);
        table->groups = 1;
        tell(&trend, points, title, caption);
        add_level(table, &trend);
        for (size_t p = 0; p < patterns && p < PATTERNS; p++)
            add_point(table, &trend, &pattern[p], caption);
        if (patterns > PATTERNS)
            text_add(caption, ". %zu other patterns of changes are not drawn", patterns - PATTERNS);
        free(pattern);
        trend_free(&trend);
    }
    datasets_free(file, count);
    return failed;
}
