/* spans.c - the timeline of a dataset in memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/spill.h"
#include "store/contents.h"

#define OVERLAP_MOST 1e-6 /* s: what rounding makes of two spans that touch */

void contents_add_span(struct dataset *dataset, const struct span *span)
{
    if (dataset->span_spill)
        spill_reserve(dataset->span_spill, (dataset->span_count + 1) * sizeof *dataset->spans);
    else
        dataset->spans =
            memory_grow(dataset->spans, dataset->span_count, &dataset->span_capacity, sizeof *dataset->spans);
    dataset->spans[dataset->span_count++] = *span;
}

static int by_lane(const void *left, const void *right)
{
    const struct span *a = *(const struct span *const *)left, *b = *(const struct span *const *)right;
    if (a->run != b->run)
        return a->run < b->run ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return (a > b) - (a < b); /* each lane's as they lie */
}

static bool same_lane(const struct span *a, const struct span *b)
{
    return a->run == b->run && a->rank == b->rank && a->lane == b->lane;
}

static int check_overlaps(const struct dataset *dataset, char *why, size_t size)
{
    size_t count = dataset->span_count;
    const struct span **span = memory_new(count + 1, sizeof *span);
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        span[i] = &dataset->spans[i];
    qsort(span, count, sizeof *span, by_lane);
    for (size_t i = 1; i < count && !failed; i++) {
        if (!same_lane(span[i - 1], span[i]) || span[i]->start >= span[i - 1]->end - OVERLAP_MOST)
            continue;
        snprintf(why, size,
                 "row %zu of /timeline begins at %.6f s, before row %zu of its lane ends at %.6f s",
                 (size_t)(span[i] - dataset->spans), span[i]->start, (size_t)(span[i - 1] - dataset->spans),
                 span[i - 1]->end);
        failed = -1;
    }
    free(span);
    return failed;
}

int contents_check_spans(const struct dataset *dataset, bool strict, char *why, size_t size)
{
    for (size_t i = 0; i < dataset->span_count; i++) {
        const struct span *span = &dataset->spans[i];
        if (i % (1 << 20) == 0)
            contents_rest(dataset);
        if (span->device >= 0 && (uint32_t)span->device >= dataset->devices.rows) {
            snprintf(why, size, "row %zu of /timeline names device %d; /devices has %zu", i,
                     (int)span->device, dataset->devices.rows);
            return -1;
        }
        if (!isfinite(span->start) || !isfinite(span->end) || span->end < span->start || span->rank < 0) {
            snprintf(why, size, "row %zu of /timeline is no span of time of a rank", i);
            return -1;
        }
    }
    return strict ? check_overlaps(dataset, why, size) : 0;
}
