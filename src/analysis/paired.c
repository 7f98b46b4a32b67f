/* Comparisons of two versions whose points were timed together. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/comparison.h"
#include "analysis/pairing.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "statistics/paired.h"
#include "statistics/student.h"
#include "statistics/turns.h"
#include "store/dataset/summary.h"

/* What one process tells of one pair. */
struct process {
    size_t pair; /* of the comparison */
    uint32_t device, process;
    uint32_t turn; /* processes of the device that had measured the pair before; odd: b came first */
    struct paired paired;
};

struct processes {
    struct process *at;
    size_t count, capacity;
};

/* A row, and the hash of everything but its version. */
struct version_row {
    uint64_t point;
    size_t row;
    bool second;
};

/* ---- The versions ---- */

/* The axis in which pairs differ, and its two values, the baseline first. */
struct names {
    char axis[AXIS_TEXT_SIZE], of[2][AXIS_TEXT_SIZE];
};

static bool read_names(const struct dataset *dataset, struct names *names)
{
    const char *recorded = dataset_environment(dataset, "pairs");
    /* AXIS_TEXT_SIZE - 1 characters each */
    return recorded && sscanf(recorded, "%63s %63s %63s", names->axis, names->of[0], names->of[1]) == 3;
}

const char *comparison_paired_axis(const struct dataset *dataset)
{
    struct names names;
    int column = read_names(dataset, &names) ? frame_find(&dataset->results, names.axis) : -1;
    return column < 0 ? NULL : dataset->results.column[column].name;
}

static int choose_baseline(const char *baseline, struct names *names, struct error *error)
{
    if (!baseline || !strcmp(baseline, names->of[0]))
        return 0;
    const char *const known[] = {names->of[0], names->of[1], NULL};
    if (strcmp(baseline, names->of[1]) != 0)
        return suggest_unknown(error, "version", baseline, known);
    struct names old = *names;
    memcpy(names->of[0], old.of[1], sizeof names->of[0]);
    memcpy(names->of[1], old.of[0], sizeof names->of[1]);
    return 0;
}

/* Whether a cell has the value, which is written as in struct names. */
static bool has_value(const struct column *column, union cell cell, const char *value)
{
    char number[32];
    if (frame_is_missing(column, cell))
        return false;
    if (column->type != COLUMN_TEXT)
        snprintf(number, sizeof number, "%" PRId64, cell.integer);
    return !strcmp(column->type == COLUMN_TEXT ? cell.text : number, value);
}

static int compare_rows(const void *a, const void *b)
{
    const struct version_row *x = a, *y = b;
    if (x->point != y->point)
        return x->point < y->point ? -1 : 1;
    return x->second != y->second ? x->second - y->second : (x->row > y->row) - (x->row < y->row);
}

/* The rows of either version, the two of a pair beside each other. */
static struct version_row *find_rows(const struct view *view, const struct names *names, size_t *count)
{
    const struct dataset *dataset = view->dataset;
    struct version_row *rows = memory_new(view->rows + 1, sizeof *rows);
    int index = frame_find(&dataset->results, names->axis);
    *count = 0;
    for (size_t i = 0; i < view->rows && index >= 0; i++) {
        const struct column *column = &dataset->results.column[index];
        union cell cell = *frame_cell(&dataset->results, view->row[i], index);
        bool second = has_value(column, cell, names->of[1]);
        if (second || has_value(column, cell, names->of[0]))
            rows[(*count)++] = (struct version_row){pairing_hash(dataset, view->row[i], dataset, names->axis),
                                                    view->row[i], second};
    }
    qsort(rows, *count, sizeof *rows, compare_rows);
    return rows;
}

/* ---- What the processes tell ---- */

static bool were_paired(const struct entry *a, const struct entry *b)
{
    const struct frame *results = &a->dataset->results;
    return a->cells && b->cells &&
           !strcmp(frame_find_text(results, a->row, COLUMN(paired_with)),
                   frame_find_text(results, b->row, COLUMN(id)));
}

static size_t run_length(const struct sample *sample, size_t count)
{
    size_t end = 0;
    while (end < count && sample[end].process == sample->process && sample[end].device == sample->device)
        end++;
    return end;
}

/* The samples of the same process, if it took as many; else NULL. */
static const struct sample *find_partner(const struct sample *of, size_t length, const struct sample *sample,
                                         size_t count)
{
    for (size_t first = 0, run; first < count; first += run) {
        run = run_length(sample + first, count - first);
        if (sample[first].process == of->process && sample[first].device == of->device)
            return run == length ? sample + first : NULL;
    }
    return NULL;
}

/* A process takes its turn after those of the same device with lower numbers. */
static uint32_t turn_of(const struct sample *of, const struct sample *sample, size_t count)
{
    uint32_t turn = 0;
    for (size_t first = 0; first < count; first += run_length(sample + first, count - first))
        turn += sample[first].device == of->device && sample[first].process < of->process;
    return turn;
}

static struct paired paired_of_samples(const struct sample *a, const struct sample *b, size_t count,
                                       bool b_first)
{
    double *times = memory_new(2 * count + 1, sizeof *times);
    for (size_t i = 0; i < count; i++) {
        times[i] = a[i].seconds;
        times[count + i] = b[i].seconds;
    }
    struct paired paired = paired_of(times, times + count, count, b_first);
    free(times);
    return paired;
}

/* `swapped`: the baseline is the second version of the run. */
static void add_processes(struct processes *all, size_t pair, const struct entry *a, const struct entry *b,
                          bool swapped)
{
    size_t count_a, count_b;
    const struct sample *of_a = summary_samples(a->dataset, a->row, &count_a),
                        *of_b = summary_samples(b->dataset, b->row, &count_b);
    for (size_t first = 0, run; first < count_a; first += run) {
        run = run_length(of_a + first, count_a - first);
        const struct sample *partner = find_partner(of_a + first, run, of_b, count_b);
        uint32_t turn = turn_of(of_a + first, of_a, count_a);
        if (!partner || run < 2)
            continue;
        struct process one = {.pair = pair,
                              .device = (uint32_t)of_a[first].device,
                              .process = of_a[first].process,
                              .turn = swapped ? turn + 1 : turn};
        one.paired = paired_of_samples(of_a + first, partner, run, turns_first(one.turn));
        all->at = memory_grow(all->at, all->count, &all->capacity, sizeof *all->at);
        all->at[all->count++] = one;
    }
}

/* ---- Estimates ---- */

/* The ratio of each process as a time: the estimate of a, times the ratio. So the pooling knows the duration of the point, and
 * its estimate minus that of a is the logarithm of the ratio. Of several processes the scatter of their ratios is the whole
 * variance. What the samples of each say is used only of a single process, because it overstates the variance of so few
 * quotients: with it, 46 instead of 98 % of the points that differ by 0.2 % are found in unit.paired. */
static size_t cells_of(const struct processes *all, size_t first, size_t pair, enum levels_kind kind,
                       double log_a, struct levels_cell *cells)
{
    size_t count = 0;
    bool several = first + 1 < all->count && all->at[first + 1].pair == pair;
    for (size_t i = first; i < all->count && all->at[i].pair == pair; i++) {
        const struct process *p = &all->at[i];
        cells[count++] = (struct levels_cell){.kind = kind,
                                              .device = p->device,
                                              .process = p->process,
                                              .log_median = log_a + p->paired.log_ratio,
                                              .variance = several ? 0 : p->paired.variance,
                                              .dof = p->paired.dof,
                                              .samples = p->paired.quotients};
    }
    return count;
}

static void estimate(struct comparison *comparison, const struct processes *all)
{
    struct levels *levels = memory_new(comparison->pairs + 1, sizeof *levels);
    struct levels_cell *cells = memory_new(all->count + 1, sizeof *cells);
    size_t *first = memory_new(comparison->pairs + 1, sizeof *first), at = 0;
    for (size_t i = 0; i < comparison->pairs; i++) {
        struct entry *a = &comparison->pair[i].a;
        first[i] = at;
        while (at < all->count && all->at[at].pair == i)
            at++;
        if (at == first[i])
            continue;
        a->estimate = levels_estimate_alone(a->cell, a->cells);
        size_t count = cells_of(all, first[i], i, a->cell[0].kind, a->estimate.log_seconds, cells);
        levels[i] = levels_of(cells, count);
    }
    struct pooling pooling = pooling_of(levels, comparison->pairs);
    for (size_t i = 0; i < comparison->pairs; i++) {
        struct levels_estimate *a = &comparison->pair[i].a.estimate, *b = &comparison->pair[i].b.estimate;
        if (!levels[i].count)
            continue;
        size_t count = cells_of(all, first[i], i, comparison->pair[i].a.cell[0].kind, a->log_seconds, cells);
        *b = pooling_estimate(&pooling, cells, count);
        *a = (struct levels_estimate){.log_seconds = a->log_seconds,
                                      .common_dof = INFINITY,
                                      .own_dof = INFINITY,
                                      .units = b->units,
                                      .top = b->top,
                                      .basis = b->basis};
        levels_estimate_finish(a);
        levels_free(&levels[i]);
    }
    free(first);
    free(cells);
    free(levels);
}

/* ---- What is told of the run ---- */

/* An effect that processes show on average over their points. */
struct effect {
    double sum, points;
    uint32_t device, process, turn;
};

static int compare_effects(const void *a, const void *b)
{
    const struct effect *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

/* Sum the effects of each process; returns how many processes there are. */
static size_t sum_by_process(struct effect *effects, size_t count)
{
    size_t processes = 0;
    qsort(effects, count, sizeof *effects, compare_effects);
    for (size_t i = 0; i < count; i++) {
        if (!processes || compare_effects(&effects[processes - 1], &effects[i]) != 0) {
            effects[processes++] = effects[i];
        } else {
            effects[processes - 1].sum += effects[i].sum;
            effects[processes - 1].points += effects[i].points;
        }
    }
    return processes;
}

/* Mean and standard error of the processes whose turn is odd, even, or any (-1). */
static size_t mean_of(const struct effect *effects, size_t count, int odd, double *mean, double *squares)
{
    size_t used = 0;
    double sum = 0;
    *squares = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            double value = effects[i].sum / effects[i].points;
            if (odd >= 0 && turns_first(effects[i].turn) != odd)
                continue;
            used += pass == 0;
            sum += pass == 0 ? value : 0;
            *squares += pass == 1 ? (value - sum / (double)used) * (value - sum / (double)used) : 0;
        }
    *mean = sum / (double)used;
    return used;
}

static void say_effect(struct text *out, const char *what, double mean, double variance, double dof)
{
    text_add(out, "%s: %+.3f %%", what, 100 * expm1(mean));
    if (dof >= 1 && variance > 0)
        text_add(out, " (95 %% interval +-%.3f %%)", 100 * student_critical(0.05, dof) * sqrt(variance));
    text_add(out, ".\n");
}

static void say_order(struct text *out, const struct processes *all, struct effect *effects)
{
    double mean, squares;
    for (size_t i = 0; i < all->count; i++) {
        const struct process *p = &all->at[i];
        effects[i] = (struct effect){p->paired.order, 1, p->device, p->process, p->turn};
    }
    size_t count = sum_by_process(effects, all->count), used = mean_of(effects, count, -1, &mean, &squares);
    double n = (double)used;
    say_effect(out,
               "Effect of coming second in a couple of samples, which cancels in every quadruple A B B A",
               mean, used > 1 ? squares / (n - 1) / n : 0, n - 1);
}

/* From each process's deviations from the means of its points: half of the difference is the effect of code being loaded second
 * on its own time. It cancels in an even number of processes. */
static void say_loading(struct text *out, const struct processes *all, struct effect *effects)
{
    size_t used = 0;
    for (size_t first = 0, end; first < all->count; first = end) {
        double sum = 0;
        for (end = first; end < all->count && all->at[end].pair == all->at[first].pair; end++)
            sum += all->at[end].paired.log_ratio;
        for (size_t i = first; i < end; i++) {
            const struct process *p = &all->at[i];
            effects[used++] = (struct effect){p->paired.log_ratio - sum / (double)(end - first), 1, p->device,
                                              p->process, p->turn};
        }
    }
    double mean[2], squares[2], n[2];
    size_t count = sum_by_process(effects, used);
    for (int odd = 0; odd < 2; odd++)
        n[odd] = (double)mean_of(effects, count, odd, &mean[odd], &squares[odd]);
    if (n[0] < 1 || n[1] < 1)
        return;
    double dof = n[0] + n[1] - 2, variance = dof > 0 ? (squares[0] + squares[1]) / dof : 0;
    say_effect(out, "Effect of being loaded second, whose order alternates between processes",
               (mean[0] - mean[1]) / 2, variance * (1 / n[0] + 1 / n[1]) / 4, dof);
}

static const char *status_of(const struct entry *entry)
{
    return entry->dataset ? frame_find_text(&entry->dataset->results, entry->row, COLUMN(status)) : "missing";
}

/* Pairs without a ratio, by their reasons. */
static void say_left_out(struct comparison *comparison)
{
    size_t apart = 0, bad = 0;
    struct text example = {0};
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct comparison_pair *pair = &comparison->pair[i];
        if (pair->b.estimate.basis != LEVELS_NONE)
            continue;
        bool ok = status_is_ok(status_of(&pair->a)) && status_is_ok(status_of(&pair->b));
        apart += ok;
        bad += !ok;
        if (!ok && !example.length)
            text_add(&example, "%s: %s, %s: %s", comparison->section[pair->section].a, status_of(&pair->a),
                     comparison->section[pair->section].b, status_of(&pair->b));
    }
    if (apart)
        text_add(
            &comparison->assumed,
            "%zu pair%s without a verdict: the versions were not timed together; see the column message.\n",
            apart, apart == 1 ? "" : "s");
    if (bad)
        text_add(&comparison->assumed, "%zu pair%s without a verdict: one version has no time (%s).\n", bad,
                 bad == 1 ? "" : "s", example.data);
    text_free(&example);
}

static void say_run(struct comparison *comparison, const struct processes *all)
{
    struct effect *effects = memory_new(all->count + 1, sizeof *effects);
    size_t alone = 0;
    for (size_t i = 0; i < comparison->pairs; i++)
        alone += comparison->pair[i].b.estimate.basis == LEVELS_WITHIN;
    text_add(&comparison->assumed,
             "Both versions were timed in the same processes, alternately. Intervals are "
             "of the differences between processes.\n");
    if (alone)
        text_add(&comparison->assumed,
                 "One process measured %zu of %zu pairs: how processes differ is unknown and assumed to be "
                 "zero.\n",
                 alone, comparison->pairs);
    if (all->count) {
        say_order(&comparison->assumed, all, effects);
        say_loading(&comparison->assumed, all, effects);
    }
    say_left_out(comparison);
    free(effects);
}

/* ---- All pairs ---- */

int comparison_of_pairs(const struct view *view, const char *baseline, struct comparison *comparison,
                        struct error *error)
{
    struct names names;
    struct processes all = {0};
    size_t count;
    *comparison = (struct comparison){.by = comparison_paired_axis(view->dataset), .paired = true};
    if (!comparison->by || !read_names(view->dataset, &names))
        return error_set(error, ERROR_USAGE, "the file is not of a paired run");
    bool swapped = baseline && strcmp(baseline, names.of[0]) != 0;
    if (choose_baseline(baseline, &names, error) != 0)
        return -1;
    struct version_row *rows = find_rows(view, &names, &count);
    comparison->cells[0] = summary_all_cells(view->dataset);
    for (size_t i = 0; i + 1 < count; i++) {
        if (rows[i].point != rows[i + 1].point || rows[i].second || !rows[i + 1].second)
            continue;
        struct entry a = entry_of(view->dataset, &comparison->cells[0], rows[i].row),
                     b = entry_of(view->dataset, &comparison->cells[0], rows[i + 1].row);
        if (were_paired(&a, &b))
            add_processes(&all, comparison->pairs, &a, &b, swapped);
        comparison_add(comparison, comparison_section(comparison, names.of[0], names.of[1]), a, b);
    }
    free(rows);
    if (comparison->pairs) {
        estimate(comparison, &all);
        say_run(comparison, &all);
    }
    free(all.at);
    if (comparison->pairs)
        return 0;
    comparison_free(comparison);
    return error_set(error, ERROR_USAGE, "no pair of two versions among these points");
}
