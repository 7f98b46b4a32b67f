#include "table/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/result.h"

#define GROUPS_MAX 8 /* columns of `per` */

struct ranking {
    const struct view *view;
    struct view_column group[GROUPS_MAX + 1];
    int groups;
    const char *by; /* NULL: each row's own rate */
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

/* The column that ranks a row; false if it has none, or no value there. */
static bool find_rank(const struct ranking *ranking, size_t row, struct view_column *column)
{
    const struct dataset *dataset = ranking->view->dataset;
    const char *name = ranking->by ? ranking->by : top_own_rate(dataset, row);
    struct error ignored;
    return name && view_find_column(dataset, name, column, &ignored) == 0 &&
           !frame_is_missing(view_header(dataset, column), view_cell(dataset, row, column));
}

static bool is_ranked(const struct view *view, size_t row, void *context)
{
    struct view_column column;
    return status_is_ok(frame_find_text(&view->dataset->results, row, COLUMN(status))) &&
           find_rank(context, row, &column);
}

static bool least_is_best(const struct dataset *file, const struct view_column *by)
{
    const struct column *header = view_header(file, by);
    return !by->of_device && (header->role == ROLE_TIME || header->role == ROLE_COST ||
                              header->role == ROLE_ENERGY || !strcmp(by->name, COLUMN(headroom)));
}

/* A row with what ranks it, found once: columns are found by name. */
struct ranked {
    size_t row;
    int column;   /* rows of one kernel can have several own rates; 0 where a column is named */
    double value; /* the least is the best */
};

static struct ranked rank_row(const struct ranking *ranking, size_t row)
{
    const struct dataset *dataset = ranking->view->dataset;
    struct view_column column = {0};
    find_rank(ranking, row, &column);
    const union cell cell = view_cell(dataset, row, &column);
    double value = view_header(dataset, &column)->type == COLUMN_INTEGER ? (double)cell.integer : cell.real;
    return (struct ranked){row, ranking->by ? 0 : column.index,
                           least_is_best(dataset, &column) ? value : -value};
}

static int compare_ranked(const void *a, const void *b, void *context)
{
    const struct ranking *ranking = context;
    const struct ranked *x = a, *y = b;
    int kernels = ranking->by ? 0 : view_compare(ranking->view->dataset, &ranking->group[0], x->row, y->row);
    if (kernels || x->column != y->column)
        return kernels ? kernels : x->column - y->column;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void sort_ranked(struct view *view, const struct ranking *ranking)
{
    struct ranked *ranked = memory_new(view->rows ? view->rows : 1, sizeof *ranked);
    for (size_t i = 0; i < view->rows; i++)
        ranked[i] = rank_row(ranking, view->row[i]);
    qsort_r(ranked, view->rows, sizeof *ranked, compare_ranked, (void *)(uintptr_t)ranking);
    for (size_t i = 0; i < view->rows; i++)
        view->row[i] = ranked[i].row;
    free(ranked);
}

static bool same_group(const struct ranking *ranking, size_t a, size_t b)
{
    for (int i = 0; i < ranking->groups; i++)
        if (view_compare(ranking->view->dataset, &ranking->group[i], a, b) != 0)
            return false;
    return true;
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

static int find_groups(struct ranking *ranking, const char *names, struct error *error)
{
    char *copy = memory_text(names), *rest = NULL;
    int failed = 0;
    for (char *name = strtok_r(copy, ",", &rest); name && !failed; name = strtok_r(NULL, ",", &rest)) {
        if (ranking->groups > GROUPS_MAX)
            failed = error_set(error, ERROR_USAGE, "--per takes at most %d columns", GROUPS_MAX);
        else
            failed =
                view_find_column(ranking->view->dataset, name, &ranking->group[ranking->groups++], error);
    }
    free(copy);
    return failed;
}

int top_keep(struct view *view, const char *by, const char *per, size_t most, struct error *error)
{
    struct ranking ranking = {.view = view, .by = by};
    struct view_column column = {0};
    if ((!by && find_groups(&ranking, COLUMN(kernel), error) != 0) ||
        (per && find_groups(&ranking, per, error) != 0) ||
        (by && view_find_column(view->dataset, by, &column, error) != 0))
        return -1;
    if (by && view_header(view->dataset, &column)->type == COLUMN_TEXT)
        return error_set(error, ERROR_USAGE,
                         "--by %.60s: a column of text cannot be ranked; expected a column of numbers", by);
    view_keep(view, is_ranked, &ranking);
    sort_ranked(view, &ranking);
    keep_firsts(view, &ranking, most);
    return 0;
}
