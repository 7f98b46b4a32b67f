/* The points of two files, paired and estimated. */
#include <stdlib.h>

#include "analysis/comparison.h"
#include "analysis/pairing.h"
#include "base/memory.h"
#include "base/thread.h"

enum { PORTION = 1 << 13 }; /* pairs that are estimated at a time, before memory is given back */

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
