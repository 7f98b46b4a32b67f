#include "cli/estimate.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "plan/history.h"
#include "plan/order.h"
#include "process/cache_folder.h"

static void work_out(const struct grid *grid, const struct timing *timing, const struct target *target,
                     const struct history *history, struct estimate *estimate)
{
    const struct target processor = {.host = true, .memory_bytes = target->memory_bytes};
    double work = 0;
    if (!strcmp(estimate->backend, "host"))
        target = &processor;
    for (size_t i = 0; i < grid_count(grid); i++) {
        char reason[256];
        struct point point = grid_point(grid, i);
        if (family_skip(&point, target, reason, sizeof reason))
            continue;
        double seconds = history_recall(history, &point, timing);
        estimate->points++;
        estimate->known += !isnan(seconds);
        if (isnan(seconds))
            seconds = history_guess(history, &point, timing);
        work += isnan(seconds) ? order_expected_seconds(&point, timing) : seconds;
    }
    uint32_t processes = timing->replicates > 1 ? timing->replicates : 1;
    estimate->seconds = history_wall(history, work * processes);
}

struct estimate *estimates_of(const struct grid *grid, const struct timing *timing,
                              const struct target *target, size_t *count)
{
    struct estimate *estimate = NULL;
    struct text pattern = {0};
    size_t capacity = 0;
    char folder[1024];
    glob_t found;
    *count = 0;
    if (cache_folder_find(folder, sizeof folder, NULL) != 0 || !folder[0])
        return NULL;
    text_add(&pattern, "%s/history/*.txt", folder);
    int status = glob(pattern.data, 0, NULL, &found);
    text_free(&pattern);
    for (size_t i = 0; !status && i < found.gl_pathc; i++) {
        struct estimate one = {0};
        if (!history_head(found.gl_pathv[i], one.backend, sizeof one.backend, one.device,
                          sizeof one.device) ||
            !strcmp(one.backend, "fake")) /* it makes its times up */
            continue;
        struct history *history = history_read(found.gl_pathv[i]);
        if (!history_is_empty(history)) {
            work_out(grid, timing, target, history, &one);
            estimate = memory_grow(estimate, *count, &capacity, sizeof *estimate);
            estimate[(*count)++] = one;
        }
        history_free(history);
    }
    if (!status)
        globfree(&found);
    return estimate;
}
