#include "analysis/comparison.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pairing.h"
#include "base/memory.h"
#include "base/spill.h"
#include "base/thread.h"

size_t comparison_section(struct comparison *comparison, const char *a, const char *b)
{
    for (size_t i = 0; i < comparison->sections; i++)
        if (!strcmp(comparison->section[i].a, a) && !strcmp(comparison->section[i].b, b))
            return i;
    comparison->section =
        memory_resize(comparison->section, comparison->sections + 1, sizeof *comparison->section);
    comparison->section[comparison->sections] = (struct comparison_section){memory_text(a), memory_text(b)};
    return comparison->sections++;
}

/* ---- Large arrays ---- */

enum { MANY = 1 << 15, PORTION = 1 << 13 }; /* pairs: whose arrays are spilled, at a time */

/* `count` elements; where there are many, kept out of memory by *spill. */
static void *new_array(size_t count, size_t size, struct spill **spill)
{
    *spill = count > MANY ? spill_new() : NULL;
    if (!*spill)
        return memory_new(count + 1, size);
    spill_reserve(*spill, count * size);
    return spill_base(*spill);
}

static void free_array(void *array, struct spill *spill)
{
    if (spill)
        spill_free(spill);
    else
        free(array);
}

enum { SPILL_PAIR, SPILL_A, SPILL_B, SPILL_RATIO };

void comparison_expect(struct comparison *comparison, size_t pairs)
{
    comparison->pair = new_array(pairs, sizeof *comparison->pair, &comparison->spill[SPILL_PAIR]);
    comparison->capacity = pairs + 1;
}

static void evict(const struct comparison *comparison)
{
    for (int i = 0; i < COMPARISON_SPILLS; i++)
        if (comparison->spill[i])
            spill_evict(comparison->spill[i]);
    for (int i = 0; i < 2; i++)
        summary_cells_evict(&comparison->cells[i]);
    for (int i = 0; i < 2 && comparison->file[i]; i++)
        dataset_evict(comparison->file[i]);
}

void comparison_evict_at(const struct comparison *comparison, size_t pair)
{
    if (pair % PORTION == 0 && comparison->spill[SPILL_PAIR])
        evict(comparison);
}

void comparison_add(struct comparison *comparison, size_t section, struct entry a, struct entry b)
{
    assert(section < comparison->sections && (a.dataset || b.dataset));
    if (comparison->spill[SPILL_PAIR])
        spill_reserve(comparison->spill[SPILL_PAIR], (comparison->pairs + 1) * sizeof *comparison->pair);
    else
        comparison->pair =
            memory_grow(comparison->pair, comparison->pairs, &comparison->capacity, sizeof *comparison->pair);
    comparison->pair[comparison->pairs++] = (struct comparison_pair){section, a, b};
    comparison->predicted_a |= a.predicted;
    comparison->predicted_b |= b.predicted;
}

void comparison_free(struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->sections; i++) {
        free(comparison->section[i].a);
        free(comparison->section[i].b);
    }
    for (size_t i = 0; i < comparison->pairs; i++) {
        comparison_evict_at(comparison, i);
        entry_free(&comparison->pair[i].a);
        entry_free(&comparison->pair[i].b);
    }
    free(comparison->section);
    free_array(comparison->pair, comparison->spill[SPILL_PAIR]);
    free_array(comparison->a, comparison->spill[SPILL_A]);
    free_array(comparison->b, comparison->spill[SPILL_B]);
    free_array(comparison->ratio, comparison->spill[SPILL_RATIO]);
    for (int i = 0; i < 2; i++)
        summary_cells_free(&comparison->cells[i]);
    text_free(&comparison->assumed);
    *comparison = (struct comparison){0};
}

/* ---- Two files ---- */

/* What a file tells about deviations: between its processes and, for a comparison with a prediction, of the time model
 * on its points. */
struct side {
    const struct view *view;
    const struct summary_cells *cells;
    struct pooling pooling;
    struct prediction_errors *errors; /* NULL: nobody asks */
};

static bool has_prediction(const struct view *view)
{
    for (size_t i = 0; i < view->rows; i++)
        if (prediction_is(view->dataset, view->row[i]))
            return true;
    return false;
}

static struct side side_of(const struct view *view, const struct view *other, struct summary_cells *cells)
{
    *cells = summary_all_cells(view->dataset);
    return (struct side){.view = view,
                         .cells = cells,
                         .pooling = summary_pooling_of(cells),
                         .errors = has_prediction(other) ? prediction_errors_of(view->dataset) : NULL};
}

static struct entry estimated(const struct side *side, size_t i, const struct side *other)
{
    struct entry entry = entry_of(side->view->dataset, side->cells, side->view->row[i]);
    if (prediction_is(entry.dataset, entry.row))
        entry_predict(&entry, other->errors);
    else
        entry_estimate(&entry, &side->pooling, &other->pooling);
    return entry;
}

/* A portion of pairs on their way into a comparison. */
struct joining {
    const struct side *a, *b;
    const size_t *partner, *only_b; /* rows of view b: of each of a; without a partner */
    size_t from;                    /* where the portion starts: rows of view a, then only_b */
    struct comparison_pair *pair;   /* of the portion */
};

static void estimate_share(void *context, size_t first, size_t end)
{
    const struct joining *joining = context;
    const struct side *a = joining->a, *b = joining->b;
    for (size_t i = first; i < end; i++) {
        size_t at = joining->from + i, rows = a->view->rows;
        struct comparison_pair *pair = &joining->pair[i];
        *pair = (struct comparison_pair){0};
        if (at >= rows) {
            pair->b = estimated(b, joining->only_b[at - rows], a);
            continue;
        }
        pair->a = estimated(a, at, b);
        if (joining->partner[at] != PAIRING_NONE)
            pair->b = estimated(b, joining->partner[at], a);
    }
}

/* The rows of view b without a partner; sets *count. The caller frees. */
static size_t *find_only_b(const size_t *partner, const struct view *a, const struct view *b, size_t *count)
{
    bool *taken = memory_new(b->rows + 1, sizeof *taken);
    size_t *only = memory_new(b->rows + 1, sizeof *only);
    *count = 0;
    for (size_t i = 0; i < a->rows; i++)
        if (partner[i] != PAIRING_NONE)
            taken[partner[i]] = true;
    for (size_t k = 0; k < b->rows; k++)
        if (!taken[k])
            only[(*count)++] = k;
    free(taken);
    return only;
}

static void join(struct comparison *comparison, size_t section, const struct side *a, const struct side *b)
{
    size_t others, *partner = pairing_of(a->view, b->view),
                   *only_b = find_only_b(partner, a->view, b->view, &others);
    size_t pairs = a->view->rows + others;
    struct joining joining = {.a = a, .b = b, .partner = partner, .only_b = only_b};
    joining.pair = memory_new(PORTION, sizeof *joining.pair);
    comparison_expect(comparison, pairs);
    for (; joining.from < pairs; joining.from += PORTION) {
        size_t portion = pairs - joining.from < PORTION ? pairs - joining.from : PORTION;
        thread_share(portion, estimate_share, &joining);
        for (size_t i = 0; i < portion; i++)
            comparison_add(comparison, section, joining.pair[i].a, joining.pair[i].b);
        comparison_evict_at(comparison, 0);
    }
    free(joining.pair);
    free(only_b);
    free(partner);
}

void comparison_of_files(const struct view *a, const struct view *b, char *const names[2],
                         struct comparison *comparison)
{
    *comparison = (struct comparison){.file = {a->dataset, b->dataset}};
    size_t section = comparison_section(comparison, names[0], names[1]);
    struct side side_a = side_of(a, b, &comparison->cells[0]), side_b = side_of(b, a, &comparison->cells[1]);
    join(comparison, section, &side_a, &side_b);
    prediction_errors_free(side_a.errors);
    prediction_errors_free(side_b.errors);
}

/* ---- Verdicts ---- */

/* Whether all compared samples come from devices of one product and one back end. */
static bool are_one_product(const struct comparison *comparison)
{
    const char *name = NULL, *backend = NULL;
    const struct frame *last = NULL; /* most cells are of the same device */
    size_t last_device = 0;
    if (comparison->predicted_a || comparison->predicted_b)
        return false;
    for (size_t i = 0; i < comparison->pairs; i++) {
        const struct entry *sides[] = {&comparison->pair[i].a, &comparison->pair[i].b};
        comparison_evict_at(comparison, i);
        for (int s = 0; s < 2; s++)
            for (size_t c = 0; c < sides[s]->cells; c++) {
                const struct frame *devices = &sides[s]->dataset->devices;
                size_t device = sides[s]->cell[c].device;
                if (last == devices && last_device == device)
                    continue;
                last = devices;
                last_device = device;
                if (device >= devices->rows)
                    return false;
                const char *its_name = frame_find_text(devices, device, DEVICE_COLUMN(name)),
                           *its_backend = frame_find_text(devices, device, DEVICE_COLUMN(backend));
                if (name && (strcmp(name, its_name) != 0 || strcmp(backend, its_backend) != 0))
                    return false;
                name = its_name;
                backend = its_backend;
            }
    }
    return true;
}

/* Release 0.1 divided every rate by the copy peak, later ones divide by the point's roof. */
static bool have_one_kind_of_share(const struct comparison *comparison)
{
    bool with = false, without = false;
    for (size_t i = 0; i < comparison->pairs; i++) {
        comparison_evict_at(comparison, i);
        const struct comparison_pair *pair = &comparison->pair[i];
        if (!pair->a.dataset || !pair->b.dataset)
            continue;
        bool a = frame_find(&pair->a.dataset->results, COLUMN(roof)) >= 0,
             b = frame_find(&pair->b.dataset->results, COLUMN(roof)) >= 0;
        with |= a || b;
        without |= !a || !b;
    }
    return !with || !without;
}

/* Where the points of one side get their deviation between processes from. */
struct knowledge {
    size_t within, borrowed, measured;
    bool unlabelled; /* written by a release that did not say which process took a sample */
};

static struct knowledge knowledge_of(const struct comparison *comparison, bool second)
{
    struct knowledge k = {0};
    for (size_t i = 0; i < comparison->pairs; i++) {
        comparison_evict_at(comparison, i);
        const struct comparison_pair *pair = &comparison->pair[i];
        const struct entry *entry = second ? &pair->b : &pair->a;
        if (isnan(comparison->ratio[i].ratio) || entry->predicted)
            continue;
        k.measured++;
        k.within += entry->estimate.basis == LEVELS_WITHIN;
        k.borrowed += entry->borrowed;
        k.unlabelled |= frame_find(&entry->dataset->results, COLUMN(processes)) < 0;
    }
    return k;
}

/* For one side, or for both if they are the same; `whose` begins the sentences. */
static void assume_of(struct comparison *comparison, const char *whose, const char *others,
                      struct knowledge k, bool one_product)
{
    struct text *assumed = &comparison->assumed;
    if (k.unlabelled)
        text_add(assumed,
                 "%s: release 0.1 did not record processes; all samples of a point count as those of "
                 "one process.\n",
                 whose);
    if (k.borrowed)
        text_add(assumed,
                 "%s: one process measured %zu of %zu points. Its processes are assumed to differ as "
                 "much as those of %s%s.\n",
                 whose, k.borrowed, k.measured, others,
                 one_product ? "" : ", though the device is of another product");
    if (k.within)
        text_add(assumed,
                 "%s: one process measured %zu of %zu points, so the difference between processes is "
                 "unknown and assumed to be zero. A difference may be gone in the next run. `timing: "
                 "{replicates: 3}` measures it.\n",
                 whose, k.within, k.measured);
}

static void assume_prediction(struct comparison *comparison, const char *side)
{
    text_add(&comparison->assumed,
             "%s was predicted, not measured. Its error is assumed to be the time model's root mean "
             "square error on the other side's measured points of the family. Points without known "
             "addresses are not compared.\n",
             side);
}

static void assume(struct comparison *comparison, bool one_product)
{
    if (comparison->predicted_a)
        assume_prediction(comparison, "A");
    if (comparison->predicted_b)
        assume_prediction(comparison, "B");
    struct knowledge a = knowledge_of(comparison, false), b = knowledge_of(comparison, true);
    if (a.unlabelled == b.unlabelled && a.within == b.within && a.borrowed + b.borrowed == 0) {
        assume_of(comparison, comparison->by ? "This file" : "Both files", "", a, one_product);
    } else {
        const char *names[] = {comparison->by ? "The baseline" : "A", comparison->by ? "The others" : "B"};
        assume_of(comparison, names[0], names[1], a, one_product);
        assume_of(comparison, names[1], names[0], b, one_product);
    }
    text_add(&comparison->assumed, one_product
                                       ? "One device product: equal variances are assumed.\n"
                                       : "Different device products: equal variances are not assumed.\n");
    if (comparison->by)
        text_add(&comparison->assumed,
                 "Both sides are treated as independent. If the same processes measured both, intervals "
                 "are wider than necessary.\n");
    if (!comparison->shares)
        text_add(&comparison->assumed,
                 "No shares of roofs: release 0.1 divided by the copy peak, later releases divide by "
                 "the point's roof.\n");
}

/* If one side borrows the other's deviations, the pooled variances of both sides are one estimate and its degrees of
 * freedom must not count twice. So the lender takes over the borrower's part. */
static struct verdict_ratio ratio_of_borrower(struct verdict_rule rule, struct levels_estimate *lender,
                                              struct levels_estimate *borrower,
                                              const struct levels_estimate *a,
                                              const struct levels_estimate *b)
{
    rule.spread = VERDICT_EACH;
    lender->common += borrower->common;
    borrower->common = 0;
    levels_estimate_finish(lender);
    levels_estimate_finish(borrower);
    return verdict_ratio_of(&rule, a, b);
}

static struct verdict_ratio ratio_of_pair(const struct comparison *comparison, size_t i)
{
    const struct comparison_pair *pair = &comparison->pair[i];
    struct levels_estimate *a = &comparison->a[i], *b = &comparison->b[i];
    bool pooled = a->basis == LEVELS_POOLED && b->basis == LEVELS_POOLED;
    if (pooled && pair->a.borrowed != pair->b.borrowed)
        return pair->a.borrowed ? ratio_of_borrower(comparison->rule, b, a, a, b)
                                : ratio_of_borrower(comparison->rule, a, b, a, b);
    if (verdict_needs_finished(&comparison->rule, a, b)) {
        levels_estimate_finish(a);
        levels_estimate_finish(b);
    }
    return verdict_ratio_of(&comparison->rule, a, b);
}

struct judging {
    struct comparison *comparison;
    size_t from; /* where the portion starts */
};

static void judge_share(void *context, size_t first, size_t end)
{
    const struct judging *judging = context;
    struct comparison *comparison = judging->comparison;
    for (size_t i = judging->from + first; i < judging->from + end; i++) {
        comparison->a[i] = comparison->pair[i].a.estimate;
        comparison->b[i] = comparison->pair[i].b.estimate;
        comparison->ratio[i] = ratio_of_pair(comparison, i);
    }
}

void comparison_judge(struct comparison *comparison, double threshold)
{
    size_t pairs = comparison->pairs;
    bool one_product = are_one_product(comparison);
    comparison->rule = verdict_rule_of(threshold);
    comparison->rule.spread = one_product ? VERDICT_ALIKE : VERDICT_EACH;
    comparison->shares = have_one_kind_of_share(comparison);
    comparison->a = new_array(pairs, sizeof *comparison->a, &comparison->spill[SPILL_A]);
    comparison->b = new_array(pairs, sizeof *comparison->b, &comparison->spill[SPILL_B]);
    comparison->ratio = new_array(pairs, sizeof *comparison->ratio, &comparison->spill[SPILL_RATIO]);
    for (struct judging judging = {comparison, 0}; judging.from < pairs; judging.from += PORTION) {
        thread_share(pairs - judging.from < PORTION ? pairs - judging.from : PORTION, judge_share, &judging);
        comparison_evict_at(comparison, 0);
    }
    verdict_decide(&comparison->rule, comparison->ratio, pairs);
    for (size_t i = 0; i < pairs; i++) /* measured, but by one sample alone */
        if (comparison->ratio[i].verdict == VERDICT_UNKNOWN && !isnan(comparison->ratio[i].ratio))
            comparison->ratio[i].verdict = VERDICT_UNCERTAIN;
    assume(comparison, one_product);
}
