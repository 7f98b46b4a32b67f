#include "cli/command.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "family/family.h"

/* The points of a kernel that need more GPUs of a node than a rank sees. */
struct wanting {
    const struct space *space;
    size_t points;
    int gpus; /* at most */
};

/* GPUs of a node that a rank must see for the point; 0: its own. */
static int gpus_of(const struct point *point)
{
    struct devices devices = family_devices(point);
    int most = 0;
    for (int i = 0; i < devices.count; i++)
        most = devices.ordinal[i] >= most ? devices.ordinal[i] + 1 : most;
    return most;
}

static void add_point(struct wanting *kernels, const struct point *point, int gpus)
{
    while (kernels->space && kernels->space != point->space)
        kernels++;
    kernels->space = point->space;
    kernels->points++;
    kernels->gpus = gpus > kernels->gpus ? gpus : kernels->gpus;
}

int gpus_check(const struct grid *grid, int visible, struct error *error)
{
    struct wanting *kernels = memory_new(FAMILIES_MAX + 1, sizeof *kernels);
    size_t possible = 0, wanting = 0;
    struct text names = {0};
    int failed = 0;
    for (size_t i = 0; i < grid_count(grid); i++) {
        char reason[RESULT_MESSAGE_SIZE];
        struct point point = grid_point(grid, i);
        int gpus = gpus_of(&point);
        if (family_skip(&point, &(struct target){0}, reason, sizeof reason))
            continue; /* on every device */
        possible++;
        wanting += gpus > visible;
        if (gpus > visible)
            add_point(kernels, &point, gpus);
    }
    for (const struct wanting *k = kernels; k->space; k++)
        text_add(&names, "%s%s (%zu point%s, up to %d GPUs)", k == kernels ? "" : ", ", k->space->kernel,
                 k->points, k->points == 1 ? "" : "s", k->gpus);
    if (wanting && wanting == possible)
        failed = error_set(error, ERROR_USAGE,
                           "every point needs more GPUs of a node than a rank will see, which is %d: %.400s",
                           visible, names.data);
    else if (wanting)
        fprintf(
            stderr,
            "warpsweep: %zu of %zu points need more GPUs of a node than a rank will see, which is %d, and "
            "will be unavailable: %s\n",
            wanting, possible, visible, names.data);
    text_free(&names);
    free(kernels);
    return failed;
}
