#include "table/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "table/throttled.h"

void columns_add(struct view *view, const char *name)
{
    struct error ignored;
    if (frame_find(&view->dataset->results, name) >= 0)
        view_add_column(view, name, &ignored);
}

/* Do the counters disprove that L2 was in the state that the axis `cache` names? */
static bool is_disproved(const struct frame *results, size_t row)
{
    return !strncmp(frame_find_text(results, row, COLUMN(l2_state)), "disproved", strlen("disproved"));
}

static void add_useful(struct view *view)
{
    static const char *const headline[] = {COLUMN(status),         COLUMN(time_median),
                                           COLUMN(bandwidth),      COLUMN(bandwidth_low),
                                           COLUMN(bandwidth_high), COLUMN(fraction_peak)};
    const struct frame *results = &view->dataset->results;
    columns_add(view, COLUMN(kernel));
    for (int i = 0; i < results->columns; i++) {
        struct view_column column = {.index = i};
        if (view_is_axis(view->dataset, i) && view_distinct(view, &column, 2) > 1)
            columns_add(view, results->column[i].name);
    }
    for (size_t i = 0; i < sizeof headline / sizeof *headline; i++)
        columns_add(view, headline[i]);
    bool throttled = false, disproved = false, energy = false;
    for (size_t i = 0; i < view->rows; i++) {
        throttled = throttled || throttled_row(results, view->row[i]);
        energy = energy || !isnan(frame_find_real(results, view->row[i], COLUMN(energy)));
        disproved = disproved || is_disproved(results, view->row[i]);
    }
    if (energy) {
        columns_add(view, COLUMN(energy));
        columns_add(view, COLUMN(energy_per_bit));
    }
    if (throttled)
        columns_add(view, COLUMN(throttle));
    if (disproved)
        columns_add(view, COLUMN(l2_state));
}

static void add_all(struct view *view)
{
    for (int i = 0; i < view->dataset->results.columns; i++)
        columns_add(view, view->dataset->results.column[i].name);
}

int columns_choose(struct view *view, const char *names, struct error *error)
{
    if (!names)
        add_useful(view);
    else if (!strcmp(names, "all"))
        add_all(view);
    if (!names || !strcmp(names, "all"))
        return 0;
    if ((*names == ',' && names[1]) || strstr(names, ",,"))
        return error_set(error, ERROR_USAGE, "--columns '%.60s': a name is missing between commas", names);
    char *copy = memory_text(names), *rest = NULL;
    int failed = 0;
    for (char *name = strtok_r(copy, ",", &rest); name && !failed; name = strtok_r(NULL, ",", &rest))
        failed = view_add_column(view, name, error);
    free(copy);
    if (failed)
        return -1;
    return view->columns ? 0 : error_set(error, ERROR_USAGE, "--columns names no column");
}

int columns_limit_rows(struct view *view, const char *limit, struct error *error)
{
    int64_t most;
    if (!limit)
        return 0;
    if (!text_parse_integer(limit, &most) || most < 0)
        return error_set(error, ERROR_USAGE, "--limit is a number of rows, not '%.40s'", limit);
    if ((uint64_t)most < view->rows)
        view->rows = (size_t)most;
    return 0;
}
