#include "cli/data/filter.h"

static bool keep_first(const struct view *view, size_t row, void *context)
{
    const int *repeat = context;
    return frame_row(&view->dataset->results, row)[*repeat].integer == 0;
}

int filter_rows(const struct arguments *arguments, bool canaries, struct view *view, struct error *error)
{
    const char *kernel = options_text(arguments, "kernel"), *where;
    int repeat = frame_find(&view->dataset->results, "repeat");
    if (repeat >= 0 && !canaries)
        view_keep(view, keep_first, &repeat);
    if (kernel && view_keep_kernel(view, kernel, error) != 0)
        return -1;
    for (int k = 0; (where = options_each(arguments, "where", k)); k++)
        if (view_keep_where(view, where, error) != 0)
            return -1;
    return 0;
}
