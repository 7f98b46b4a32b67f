#include "table/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct ranking {
    const struct dataset *dataset;
    struct view_column *group; /* the kernel, then those of `per` */
    int groups;
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

static bool is_ranked(const struct view *view, size_t row, void *context)
{
    const struct frame *results = &view->dataset->results;
    const char *rate = top_own_rate(view->dataset, row);
    (void)context;
    return status_is_ok(frame_find_text(results, row, COLUMN(status))) && rate &&
           frame_find_real(results, row, rate) > 0;
}

/* By kernel, then by rate; rows of one kernel can have several own rates. */
static int compare_ranked(const void *a, const void *b, void *context)
{
    const struct ranking *ranking = context;
    const size_t row = *(const size_t *)a, other = *(const size_t *)b;
    const char *rate = top_own_rate(ranking->dataset, row), *its = top_own_rate(ranking->dataset, other);
    int kernels = view_compare(ranking->dataset, &ranking->group[0], row, other);
    if (kernels || strcmp(rate, its) != 0)
        return kernels ? kernels : strcmp(rate, its);
    double x = frame_find_real(&ranking->dataset->results, row, rate),
           y = frame_find_real(&ranking->dataset->results, other, rate);
    if (x != y)
        return (x < y) == !strcmp(rate, COLUMN(latency_p50)) ? -1 : 1;
    return (row > other) - (row < other);
}

/* Keep the first rows of each group. */
static void keep_firsts(struct view *view, const struct ranking *ranking, size_t most)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->rows; i++) {
        size_t before = 0;
        for (size_t k = 0; k < kept && before < most; k++) {
            int same = 0;
            while (same < ranking->groups &&
                   view_compare(view->dataset, &ranking->group[same], view->row[k], view->row[i]) == 0)
                same++;
            before += same == ranking->groups;
        }
        if (before < most)
            view->row[kept++] = view->row[i];
    }
    view->rows = kept;
}

int top_keep(struct view *view, const char *per, size_t most, struct error *error)
{
    struct ranking ranking = {.dataset = view->dataset};
    struct text names = {0};
    text_add(&names, "%s%s%s", COLUMN(kernel), per ? "," : "", per ? per : "");
    ranking.groups = view_find_all(view->dataset, "per", names.data, &ranking.group, error);
    if (ranking.groups >= 0) {
        view_keep(view, is_ranked, NULL);
        qsort_r(view->row, view->rows, sizeof *view->row, compare_ranked, &ranking);
        keep_firsts(view, &ranking, most);
    }
    text_free(&names);
    free(ranking.group);
    return ranking.groups < 0 ? -1 : 0;
}
