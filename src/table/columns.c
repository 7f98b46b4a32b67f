#include "table/table.h"

#include <math.h>
#include <string.h>

/* What some rows have to say, and most files do not. */
static void show_remarks(struct view *view)
{
    const struct frame *results = &view->dataset->results;
    bool throttled = false, disproved = false, energy = false;
    for (size_t i = 0; i < view->rows; i++) {
        size_t row = view->row[i];
        int64_t reasons = frame_find_integer(results, row, COLUMN(throttle_mask));
        throttled |= reasons != FRAME_NO_INTEGER && ((uint64_t)reasons & THROTTLE_SLOWS) != 0;
        energy |= !isnan(frame_find_real(results, row, COLUMN(energy)));
        disproved |= !strncmp(frame_find_text(results, row, COLUMN(l2_state)), "disproved", 9);
    }
    if (energy) {
        view_show(view, COLUMN(energy));
        view_show(view, COLUMN(energy_per_bit));
    }
    if (throttled)
        view_show(view, COLUMN(throttle));
    if (disproved)
        view_show(view, COLUMN(l2_state));
}

/* Whether the view's rows have several values in a column. */
static bool varies(const struct view *view, const struct view_column *column)
{
    for (size_t i = 1; i < view->rows; i++)
        if (view_compare(view->dataset, column, view->row[0], view->row[i]) != 0)
            return true;
    return false;
}

static void show_useful(struct view *view)
{
    static const char *const headline[] = {COLUMN(status),         COLUMN(time_median),
                                           COLUMN(bandwidth),      COLUMN(bandwidth_low),
                                           COLUMN(bandwidth_high), COLUMN(fraction_peak)};
    const struct frame *results = &view->dataset->results;
    view_show(view, COLUMN(kernel));
    for (int i = 0; i < results->columns; i++) {
        struct view_column column = {.header = &results->column[i], .index = i};
        if (column.header->role == ROLE_AXIS && varies(view, &column))
            view_show(view, column.header->name);
    }
    for (size_t i = 0; i < sizeof headline / sizeof *headline; i++)
        view_show(view, headline[i]);
    show_remarks(view);
}

int columns_choose(struct view *view, const char *names, struct error *error)
{
    const struct frame *results = &view->dataset->results;
    if (!names) {
        show_useful(view);
    } else if (!strcmp(names, "all")) {
        for (int i = 0; i < results->columns; i++)
            view_show(view, results->column[i].name);
    } else {
        view->columns = view_find_all(view->dataset, "columns", names, &view->column, error);
    }
    return view->columns < 0 ? -1 : 0;
}
