#include "analysis/best.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "family/family.h"
#include "table/row_point.h"

bool best_is_vendor(const struct merged *merged, size_t row)
{
    struct point point;
    if (!row_point(&merged->all.results, row, &point))
        return false;
    /* Which copy engine runs is a property of the variant, not of the device. */
    enum engine engine = point_setup(&point, &(struct target){.multiprocessors = 1}).engine;
    return engine != ENGINE_KERNEL && engine != ENGINE_HOST_COPY && !engine_is_call(engine);
}

bool best_told_apart(const struct merged *merged, size_t row, size_t other)
{
    return merge_real(merged, row, COLUMN(time_ci_high)) < merge_real(merged, other, COLUMN(time_ci_low)) ||
           merge_real(merged, other, COLUMN(time_ci_high)) < merge_real(merged, row, COLUMN(time_ci_low));
}

/* Whether two rows do the same work: bytes, operations, and the state of L2 at the start. */
static bool is_same_work(const struct merged *merged, size_t row, size_t other)
{
    static const char *const amounts[] = {"bytes_read", "bytes_written", "flops"};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
        if (merge_real(merged, row, amounts[i]) != merge_real(merged, other, amounts[i]))
            return false;
    return !strcmp(merge_text(merged, row, COLUMN(cache)), merge_text(merged, other, COLUMN(cache)));
}

/* ---- Which is best? ---- */

static bool is_measured(const struct merged *merged, size_t row)
{
    return status_is_ok(merge_text(merged, row, COLUMN(status))) &&
           merge_real(merged, row, COLUMN(fraction_peak)) > 0;
}

/* Own kernels before the vendor's, then the larger share. */
static bool is_better(const struct merged *merged, size_t row, size_t than)
{
    bool own = !best_is_vendor(merged, row), its = !best_is_vendor(merged, than);
    if (own != its)
        return own;
    return merge_real(merged, row, COLUMN(fraction_peak)) > merge_real(merged, than, COLUMN(fraction_peak));
}

static bool is_same_family(const struct merged *merged, size_t row, size_t other)
{
    return merge_text(merged, row, MERGE_GROUP) == merge_text(merged, other, MERGE_GROUP) &&
           !strcmp(merge_text(merged, row, COLUMN(kernel)), merge_text(merged, other, COLUMN(kernel)));
}

static int compare_best(const void *a, const void *b)
{
    const struct best *x = a, *y = b;
    return x->group != y->group ? x->group - y->group : strcmp(x->kernel, y->kernel);
}

/* The faster of two rows; `row` may be BEST_NONE. */
static void keep_faster(const struct merged *merged, size_t row, size_t *kept)
{
    if (*kept == BEST_NONE ||
        merge_real(merged, row, COLUMN(time_median)) < merge_real(merged, *kept, COLUMN(time_median)))
        *kept = row;
}

static void find_others(const struct merged *merged, const struct view *view, struct best *best)
{
    bool vendors = best_is_vendor(merged, best->row);
    for (size_t i = 0; i < view->rows; i++) {
        dataset_evict_at(view->dataset, i);
        size_t row = view->row[i];
        if (!is_measured(merged, row) || !is_same_family(merged, row, best->row))
            continue;
        bool vendor = best_is_vendor(merged, row), same_work = is_same_work(merged, row, best->row);
        best->points += vendor == vendors;
        best->shapes += vendor == vendors && same_work;
        best->vendors_shapes += vendor && same_work;
        if (!same_work)
            continue;
        if (vendor)
            keep_faster(merged, row, &best->vendor);
        else if (strcmp(merge_text(merged, row, COLUMN(variant)),
                        merge_text(merged, best->row, COLUMN(variant))) != 0 &&
                 best_told_apart(merged, row, best->row))
            keep_faster(merged, row, &best->next);
    }
}

size_t best_of_families(const struct merged *merged, const struct view *view, struct best **best)
{
    size_t count = 0;
    *best = memory_new(1, sizeof **best);
    for (size_t i = 0; i < view->rows; i++) {
        dataset_evict_at(view->dataset, i);
        size_t row = view->row[i], k = 0;
        int group = merge_find_group(merged, merge_text(merged, row, MERGE_GROUP));
        if (!is_measured(merged, row) || group < 0)
            continue;
        while (k < count && !is_same_family(merged, (*best)[k].row, row))
            k++;
        if (k == count) {
            *best = memory_resize(*best, ++count, sizeof **best);
            (*best)[k] = (struct best){.kernel = merge_text(merged, row, COLUMN(kernel)),
                                       .group = group,
                                       .row = row,
                                       .closest = row,
                                       .vendor = BEST_NONE,
                                       .next = BEST_NONE};
        } else if (is_better(merged, row, (*best)[k].row)) {
            (*best)[k].row = row;
        }
        if (merge_real(merged, row, COLUMN(fraction_peak)) >
            merge_real(merged, (*best)[k].closest, COLUMN(fraction_peak)))
            (*best)[k].closest = row;
    }
    qsort(*best, count, sizeof **best, compare_best);
    for (size_t k = 0; k < count; k++)
        find_others(merged, view, &(*best)[k]);
    return count;
}
