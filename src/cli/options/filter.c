#include "cli/options/filter.h"

#include "table/where.h"

int filter_rows(const struct arguments *arguments, bool canaries, struct view *view, struct error *error)
{
    const char *kernel = options_text(arguments, "kernel"), *condition;
    if (!canaries)
        view_keep_points(view);
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
