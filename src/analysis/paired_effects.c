/* Effects of order in a paired run, and the pairs without a verdict: the assumptions of paired verdicts. */
#include <math.h>
#include <stdlib.h>

#include "analysis/paired.h"
#include "base/memory.h"
#include "statistics/student.h"
#include "statistics/turns.h"

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

static void say_order(struct text *out, const struct paired_processes *all, struct effect *effects)
{
    double mean, squares;
    for (size_t i = 0; i < all->count; i++) {
        const struct paired_process *p = &all->at[i];
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
static void say_loading(struct text *out, const struct paired_processes *all, struct effect *effects)
{
    size_t used = 0;
    for (size_t first = 0, end; first < all->count; first = end) {
        double sum = 0;
        for (end = first; end < all->count && all->at[end].pair == all->at[first].pair; end++)
            sum += all->at[end].paired.log_ratio;
        for (size_t i = first; i < end; i++) {
            const struct paired_process *p = &all->at[i];
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

void paired_explain(struct comparison *comparison, const struct paired_processes *all)
{
    struct effect *effects = memory_new(all->count + 1, sizeof *effects);
    size_t alone = 0;
    for (size_t i = 0; i < comparison->pairs; i++)
        alone += comparison->pair[i].b.estimate.basis == LEVELS_WITHIN;
    text_add(&comparison->assumed, "Both versions were timed in the same processes, alternately. Intervals "
                                   "are of the differences between processes.\n");
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
