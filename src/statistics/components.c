#include "statistics/levels.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* A mean at some level: of a process, of a device. */
struct item {
    uint32_t device, process;
    double value;
};

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

enum depth { ALL, DEVICE, PROCESS }; /* how many keys two items must share to be of one group */

static bool together(const struct item *x, const struct item *y, enum depth depth)
{
    return (depth < DEVICE || x->device == y->device) && (depth < PROCESS || x->process == y->process);
}

/* What grouping found: the mean variance of the members of a group (NaN: no group has two), and the harmonic
 * mean of how many members a group has. */
struct grouping {
    double variance, members;
};

/* Replace the sorted items of each group by their mean. */
static struct grouping group(struct item *items, size_t *count, enum depth depth)
{
    double sum = 0, inverse = 0;
    size_t groups = 0, known = 0;
    for (size_t from = 0, to = 0; from < *count; from = to) {
        double mean = 0, squares = 0;
        for (to = from; to < *count && together(&items[to], &items[from], depth); to++)
            mean += items[to].value;
        double members = (double)(to - from);
        mean /= members;
        for (size_t i = from; i < to; i++)
            squares += (items[i].value - mean) * (items[i].value - mean);
        if (to - from > 1) {
            sum += squares / (members - 1);
            known++;
        }
        inverse += 1 / members;
        items[groups] = items[from];
        items[groups++].value = mean;
    }
    *count = groups;
    return (struct grouping){known ? sum / (double)known : NAN, (double)groups / inverse};
}

struct components components_of(const struct levels_cell *cells, size_t count)
{
    struct components c = {NAN, NAN, NAN};
    if (!count)
        return c;
    struct item *items = memory_new(count, sizeof *items);
    double spread = 0, within = 0;
    for (size_t i = 0; i < count; i++) {
        items[i] = (struct item){cells[i].device, cells[i].process, cells[i].log_median};
        spread += cells[i].spread * cells[i].spread;
        within += isnan(cells[i].variance) ? 0 : cells[i].variance;
    }
    qsort(items, count, sizeof *items, compare_items);
    c.sample = spread / (double)count;
    within /= (double)count;
    group(items, &count, PROCESS);
    struct grouping processes = group(items, &count, DEVICE), devices = group(items, &count, ALL);
    free(items);
    c.process = processes.variance - within;
    c.device =
        devices.variance - (isnan(processes.variance) ? within : processes.variance / processes.members);
    return c;
}

double components_sd(double variance)
{
    return variance < 0 ? 0 : sqrt(variance);
}
