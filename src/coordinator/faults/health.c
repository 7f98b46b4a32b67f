#include "coordinator/faults/health.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

struct health *health_new(int ranks, size_t points)
{
    struct health *health = memory_new(1, sizeof *health);
    health->ranks = ranks;
    health->device = memory_new((size_t)ranks, sizeof *health->device);
    health->good = memory_new(points / 64 + 1, sizeof *health->good);
    return health;
}

void health_free(struct health *health)
{
    if (!health)
        return;
    for (int rank = 0; rank < health->ranks; rank++) {
        free(health->device[rank].pending.index);
        free(health->device[rank].last.index);
        free(health->device[rank].repeated.index);
    }
    free(health->device);
    free(health->good);
    free(health);
}

static void add(struct health_list *list, uint32_t index)
{
    list->index = memory_grow(list->index, list->count, &list->capacity, sizeof *list->index);
    list->index[list->count++] = index;
}

/* Remove one entry of the point; false if there is none. */
static bool remove_one(struct health_list *list, uint32_t index)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->index[i] != index)
            continue;
        list->index[i] = list->index[--list->count];
        return true;
    }
    return false;
}

/* The point has its verdict: apply it to failed repetitions. */
static void decide_repeated(struct health *health, uint32_t index, bool good)
{
    for (int rank = 0; rank < health->ranks && health->undecided; rank++) {
        struct health_device *device = &health->device[rank];
        while (remove_one(&device->repeated, index)) {
            device->blamed += good;
            health->undecided--;
        }
    }
}

void health_good(struct health *health, int rank, uint32_t index)
{
    assert(rank >= 0 && rank < health->ranks);
    struct health_device *device = &health->device[rank];
    assert(health->undecided >= device->repeated.count);
    health->undecided -= device->repeated.count;
    device->pending.count = device->last.count = device->repeated.count = 0;
    device->blamed = device->failures = 0;
    device->last_was_good = true;
    health->good[index / 64] |= UINT64_C(1) << index % 64;
    decide_repeated(health, index, true);
}

void health_bad(struct health *health, int rank, uint32_t index, enum failure failure)
{
    assert(rank >= 0 && rank < health->ranks);
    struct health_device *device = &health->device[rank];
    bool good_before = health->good[index / 64] >> index % 64 & 1;
    device->failures++;
    device->last_was_good = false;
    if (failure == FAILURE_FIRST) {
        add(&device->pending, index);
    } else if (failure == FAILURE_LAST) {
        add(&device->last, index);
    } else if (good_before) {
        device->blamed++;
    } else {
        add(&device->repeated, index);
        health->undecided++;
    }
}

void health_settle(struct health *health, int rank, uint32_t index, bool good)
{
    struct health_device *device = &health->device[rank];
    device->blamed += remove_one(&device->pending, index) && good;
    decide_repeated(health, index, good);
}

void health_forget(struct health *health, int rank, uint32_t index)
{
    remove_one(&health->device[rank].pending, index);
}

enum health_state health_state_of(const struct health *health, int rank)
{
    const struct health_device *device = &health->device[rank];
    assert(device->failures > 0 || (!device->blamed && !device->pending.count && !device->last.count));
    if (device->blamed >= HEALTH_STRIKES)
        return HEALTH_SICK;
    return device->pending.count + (size_t)device->blamed >= HEALTH_STRIKES ? HEALTH_SUSPECT : HEALTH_TRUSTED;
}
