#include "table/top.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct ranking {
    const struct dataset *dataset;
    struct view_column by;     /* without a header: each row's own rate */
    struct view_column kernel; /* without `by`, each has its best */
    struct view_column *per;   /* owned */
    int pers;
};

static bool has_text(const struct frame *results, size_t row, const char *column, const char *start)
{
    return !strncmp(frame_find_text(results, row, column), start, strlen(start));
}

const char *top_own_rate(const struct dataset *dataset, size_t row)
{
    const struct frame *results = &dataset->results;
    if (frame_find_real(results, row, COLUMN(latency_p50)) > 0)
        return COLUMN(latency_p50);
    if (has_text(results, row, COLUMN(roof), "flop_") || has_text(results, row, COLUMN(roof), "tensor_"))
        return COLUMN(flop_rate);
    return frame_find_real(results, row, COLUMN(bandwidth)) > 0 ? COLUMN(bandwidth) : NULL;
}

/* A row with what ranks it. */
struct ranked {
    size_t row;
    int column;   /* rows of one kernel can have several own rates */
    double value; /* the least is the best; NaN: the row has none */
};

static struct ranked rank_row(const struct ranking *ranking, size_t row)
{
    const struct dataset *dataset = ranking->dataset;
    struct view_column by = ranking->by;
    const char *own = by.header ? NULL : top_own_rate(dataset, row);
    if (own) {
        by.index = frame_find(&dataset->results, own);
        by.header = by.index < 0 ? NULL : &dataset->results.column[by.index];
    }
    if (!by.header || frame_is_missing(by.header, view_cell(dataset, row, &by)))
        return (struct ranked){.value = NAN};
    const union cell cell = view_cell(dataset, row, &by);
    const double value = by.header->type == COLUMN_INTEGER ? (double)cell.integer : cell.real;
    const enum column_role role = by.header->role;
    bool least = !by.of_device && (role == ROLE_TIME || role == ROLE_COST || role == ROLE_ENERGY ||
                                   !strcmp(by.header->name, COLUMN(headroom)));
    return (struct ranked){row, by.index, least ? value : -value};
}

static bool is_ranked(const struct view *view, size_t row, void *context)
{
    return status_is_ok(frame_find_text(&view->dataset->results, row, COLUMN(status))) &&
           !isnan(rank_row(context, row).value);
}

static int compare_ranked(const void *a, const void *b, void *context)
{
    const struct ranking *ranking = context;
    const struct ranked *x = a, *y = b;
    int kernels = ranking->by.header ? 0 : view_compare(ranking->dataset, &ranking->kernel, x->row, y->row);
    if (kernels || x->column != y->column)
        return kernels ? kernels : x->column - y->column;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void sort_ranked(struct view *view, struct ranking *ranking)
{
    struct ranked *ranked = memory_new(view->rows + 1, sizeof *ranked);
    for (size_t i = 0; i < view->rows; i++)
        ranked[i] = rank_row(ranking, view->row[i]);
    qsort_r(ranked, view->rows, sizeof *ranked, compare_ranked, ranking);
    for (size_t i = 0; i < view->rows; i++)
        view->row[i] = ranked[i].row;
    free(ranked);
}

static bool same_group(const struct ranking *ranking, size_t a, size_t b)
{
    bool same = ranking->by.header || view_compare(ranking->dataset, &ranking->kernel, a, b) == 0;
    for (int i = 0; i < ranking->pers && same; i++)
        same = view_compare(ranking->dataset, &ranking->per[i], a, b) == 0;
    return same;
}

static void keep_firsts(struct view *view, const struct ranking *ranking, size_t most)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->rows; i++) {
        size_t before = 0;
        for (size_t k = 0; k < kept && before < most; k++)
            before += same_group(ranking, view->row[k], view->row[i]);
        if (before < most)
            view->row[kept++] = view->row[i];
    }
    view->rows = kept;
}

int top_keep(struct view *view, const char *by, const char *per, size_t most, struct error *error)
{
    struct ranking ranking = {.dataset = view->dataset};
    if ((by ? view_find(view->dataset, by, &ranking.by, error)
            : view_find(view->dataset, COLUMN(kernel), &ranking.kernel, error)) != 0)
        return -1;
    if (by && ranking.by.header->type == COLUMN_TEXT)
        return error_set(error, ERROR_USAGE,
                         "--by %.60s: a column of text cannot be ranked; expected a column of numbers", by);
    ranking.pers = per ? view_find_all(view->dataset, "per", per, &ranking.per, error) : 0;
    if (ranking.pers >= 0) {
        view_keep(view, is_ranked, &ranking);
        sort_ranked(view, &ranking);
        keep_firsts(view, &ranking, most);
    }
    free(ranking.per);
    return ranking.pers < 0 ? -1 : 0;
}
