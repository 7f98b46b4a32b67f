#include "analysis/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/pairing.h"
#include "base/memory.h"

struct entry entry_of(const struct dataset *dataset, const struct summary_cells *cells, size_t row)
{
    struct entry entry = {.dataset = dataset, .row = row, .whole = true};
    if (status_is_ok(frame_find_text(&dataset->results, row, COLUMN(status))))
        entry.cells = summary_row_cells(cells, row, &entry.cell);
    return entry;
}

void entry_predict(struct entry *entry, const struct prediction_errors *errors)
{
    entry->predicted = status_is_ok(frame_find_text(&entry->dataset->results, entry->row, COLUMN(status)));
    if (entry->predicted)
        entry->estimate = prediction_estimate(entry->dataset, entry->row, errors);
}

static bool is_listed(uint32_t device, const uint32_t *of, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (of[i] == device)
            return true;
    return false;
}

struct entry entry_part(const struct entry *whole, const uint32_t *of, size_t count)
{
    struct entry part = {.dataset = whole->dataset, .row = whole->row};
    part.owned = memory_new(whole->cells + 1, sizeof *part.owned);
    part.cell = part.owned;
    for (size_t i = 0; i < whole->cells; i++)
        if (is_listed(whole->cell[i].device, of, count))
            part.owned[part.cells++] = whole->cell[i];
    part.whole = part.cells == whole->cells;
    return part;
}

void entry_free(struct entry *entry)
{
    free(entry->owned);
    entry->owned = NULL;
    entry->cell = NULL;
}

void entry_estimate(struct entry *entry, const struct pooling *own, const struct pooling *other)
{
    entry->estimate = pooling_estimate_begin(own, entry->cell, entry->cells);
    if (entry->estimate.basis != LEVELS_WITHIN || !other)
        return;
    struct levels_estimate lent = pooling_estimate_begin(other, entry->cell, entry->cells);
    entry->borrowed = lent.basis == LEVELS_POOLED;
    if (entry->borrowed)
        entry->estimate = lent;
}

double entry_share(const struct entry *entry)
{
    const struct frame *results = &entry->dataset->results;
    if (!entry->whole || entry->estimate.basis == LEVELS_NONE)
        return NAN; /* the row's roof is not the roof of each of its devices */
    return frame_find_real(results, entry->row, COLUMN(fraction_peak)) *
           frame_find_real(results, entry->row, COLUMN(time_median)) / entry->estimate.seconds;
}

struct levels_estimate *entry_estimates(const struct view *first, const struct view *view)
{
    struct levels_estimate *estimate = memory_new(first->rows + 1, sizeof *estimate);
    struct summary_cells cells = summary_all_cells(view->dataset);
    struct pooling pooling = summary_pooling_of(&cells);
    size_t *partner = pairing_of(first, view);
    for (size_t i = 0; i < first->rows; i++) {
        estimate[i] = levels_estimate_alone(NULL, 0);
        if (partner[i] == PAIRING_NONE)
            continue;
        struct entry entry = entry_of(view->dataset, &cells, view->row[partner[i]]);
        entry_estimate(&entry, &pooling, NULL);
        levels_estimate_finish(&entry.estimate);
        estimate[i] = entry.estimate;
        entry_free(&entry);
    }
    summary_cells_free(&cells);
    free(partner);
    return estimate;
}
