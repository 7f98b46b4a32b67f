#include "cli/command.h"

#include <string.h>

#include "base/text.h"
#include "store/store.h"
#include "table/table.h"

#define SHOWN_MAX 5

static bool is_of_kernel(const struct view *view, size_t row, void *kernel)
{
    return !strcmp(frame_find_text(&view->dataset->results, row, COLUMN(kernel)), kernel);
}

/* As `table -k KERNEL --top 1`. */
static void print_best(const struct dataset *file, size_t row)
{
    struct error ignored;
    struct view view = view_new(file, false);
    view_keep(&view, is_of_kernel, (void *)(uintptr_t)frame_find_text(&file->results, row, COLUMN(kernel)));
    columns_choose(&view, NULL, &ignored);
    view_show(&view, top_own_rate(file, row));
    view.row[0] = row;
    view.rows = 1;
    print_view(stderr, &view, PRINT_TEXT);
    view_free(&view);
}

void best_points_print(const char *path, const struct dataset *file)
{
    struct view_column share;
    struct error ignored;
    struct text quoted = {0};
    struct view best = view_new(file, false);
    if (top_keep(&best, NULL, 1, &ignored) == 0 && best.rows &&
        view_find(file, COLUMN(fraction_peak), &share, &ignored) == 0) {
        share.descending = true;
        view_sort(&best, &share, 1);
        for (size_t i = 0; i < best.rows && i < SHOWN_MAX; i++)
            print_best(file, best.row[i]);
        text_add_quoted(&quoted, path);
        if (best.rows > SHOWN_MAX)
            fprintf(stderr, "warpsweep: all families: warpsweep table %s --top 1\n", quoted.data);
        fprintf(stderr, "warpsweep: draw it with: warpsweep plot %s -o figures\n", quoted.data);
    }
    text_free(&quoted);
    view_free(&best);
}
