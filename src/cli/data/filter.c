#include "cli/data/filter.h"

#include "cli/data/where.h"

static bool keep_first(const struct view *view, size_t row, void *context)
{
    const int *repeat = context;
    return frame_row(&view->dataset->results, row)[*repeat].integer == 0;
}

int filter_rows(const struct arguments *arguments, bool canaries, struct view *view, struct error *error)
{
    const char *kernel = options_text(arguments, "kernel"), *condition;
    int repeat = frame_find(&view->dataset->results, "repeat");
    if (repeat >= 0 && !canaries)
        view_keep(view, keep_first, &repeat);
    if (kernel && where_keep_kernel(view, kernel, error) != 0)
        return -1;
    struct where *where = where_new(view->dataset);
    int failed = 0;
    for (int k = 0; !failed && (condition = options_each(arguments, "where", k)); k++)
        failed = where_add(where, condition, error);
    if (!failed)
        where_keep(where, view);
    where_free(where);
    return failed;
}
