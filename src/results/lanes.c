#include "results/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int compare(const struct lane_sum *lane, const struct span *span)
{
    if (lane->run != span->run)
        return lane->run < span->run ? -1 : 1;
    if (lane->rank != span->rank)
        return lane->rank < span->rank ? -1 : 1;
    return ((int)lane->lane > span->lane) - ((int)lane->lane < span->lane);
}

/* The lane of a span, added if it is new; by bisection, because there may be thousands. */
static struct lane_sum *find(struct lanes *lanes, size_t *capacity, const struct span *span)
{
    size_t low = 0, high = lanes->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(&lanes->lane[middle], span);
        if (!order)
            return &lanes->lane[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    lanes->lane = memory_grow(lanes->lane, lanes->count, capacity, sizeof *lanes->lane);
    struct lane_sum *lane = &lanes->lane[low];
    memmove(lane + 1, lane, (lanes->count++ - low) * sizeof *lane);
    *lane = (struct lane_sum){.run = span->run,
                              .rank = span->rank,
                              .lane = (enum lane)span->lane,
                              .device = -1,
                              .start = span->start,
                              .end = span->end};
    return lane;
}

struct lanes lanes_of(const struct dataset *dataset)
{
    struct lanes lanes = {0};
    size_t capacity = 0;
    for (size_t i = 0; i < dataset->span_count; i++) {
        const struct span *span = &dataset->spans[i];
        struct lane_sum *lane = find(&lanes, &capacity, span);
        lane->start = fmin(lane->start, span->start);
        lane->end = fmax(lane->end, span->end);
        lane->seconds[span->phase] += span->end - span->start;
        lane->spans[span->phase] += span->parts;
        if (span->device >= 0)
            lane->device = span->device;
    }
    return lanes;
}

void lanes_free(struct lanes *lanes)
{
    free(lanes->lane);
    *lanes = (struct lanes){0};
}

double lane_wall(const struct lane_sum *lane)
{
    return lane->end - lane->start;
}

double lane_group(const struct lane_sum *lane, enum phase_group group)
{
    double seconds = 0;
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        seconds += phase_group((enum phase)phase) == group ? lane->seconds[phase] : 0;
    return seconds;
}

/* ---- Kernels ---- */

struct point_kernels {
    struct known {
        uint64_t id;
        const char *kernel; /* the frame's */
    } * known;
    size_t count;
};

static int by_id(const void *left, const void *right)
{
    const struct known *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

struct point_kernels *point_kernels_of(const struct dataset *dataset)
{
    const struct frame *results = &dataset->results;
    struct point_kernels *kernels = memory_new(1, sizeof *kernels);
    kernels->known = memory_new(results->rows + 1, sizeof *kernels->known);
    for (size_t row = 0; row < results->rows; row++)
        kernels->known[kernels->count++] =
            (struct known){strtoull(frame_find_text(results, row, COLUMN(id)), NULL, 16),
                           frame_find_text(results, row, COLUMN(kernel))};
    qsort(kernels->known, kernels->count, sizeof *kernels->known, by_id);
    return kernels;
}

const char *point_kernel(const struct point_kernels *kernels, uint64_t id)
{
    const struct known key = {.id = id};
    const struct known *known = bsearch(&key, kernels->known, kernels->count, sizeof *kernels->known, by_id);
    return known ? known->kernel : NULL;
}

void point_kernels_free(struct point_kernels *kernels)
{
    free(kernels->known);
    free(kernels);
}
