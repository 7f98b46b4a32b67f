#include "coordinator/faults/health.h"

#include <stdlib.h>

#include "base/memory.h"

/* Indices of points. */
struct list {
    uint32_t *index;
    size_t count, capacity;
};

/* Since its last good result. */
struct device {
    struct list pending;  /* failed first here; what they are elsewhere is not known yet */
    struct list last;     /* failed here last: bad, if the device can be believed */
    struct list repeated; /* repetitions of points of which it is not known yet whether they are good */
    int blamed, failures;
    bool last_was_good;
};

struct health {
    struct device *device;
    int ranks;
    uint64_t *good;   /* a bit a point: measured well by somebody */
    size_t undecided; /* entries of all `repeated` */
};

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

static void add(struct list *list, uint32_t index)
{
    list->index = memory_grow(list->index, list->count, &list->capacity, sizeof *list->index);
    list->index[list->count++] = index;
}

/* One entry of the point, if there is one. */
static bool take_out(struct list *list, uint32_t index)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->index[i] != index)
            continue;
        list->index[i] = list->index[--list->count];
        return true;
    }
    return false;
}

/* What the point is like is known now: repetitions that failed are judged by it. */
static void decide_repeated(struct health *health, uint32_t index, bool good)
{
    for (int rank = 0; rank < health->ranks && health->undecided; rank++) {
        struct device *device = &health->device[rank];
        while (take_out(&device->repeated, index)) {
            device->blamed += good;
            health->undecided--;
        }
    }
}

void health_good(struct health *health, int rank, uint32_t index)
{
    struct device *device = &health->device[rank];
    health->undecided -= device->repeated.count;
    device->pending.count = device->last.count = device->repeated.count = 0;
    device->blamed = device->failures = 0;
    device->last_was_good = true;
    health->good[index / 64] |= UINT64_C(1) << index % 64;
    decide_repeated(health, index, true);
}

void health_bad(struct health *health, int rank, uint32_t index, enum failure failure)
{
    struct device *device = &health->device[rank];
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
    struct device *device = &health->device[rank];
    device->blamed += take_out(&device->pending, index) && good;
    decide_repeated(health, index, good);
}

void health_forget(struct health *health, int rank, uint32_t index)
{
    take_out(&health->device[rank].pending, index);
}

enum health_state health_state_of(const struct health *health, int rank)
{
    const struct device *device = &health->device[rank];
    if (device->blamed >= HEALTH_STRIKES)
        return HEALTH_SICK;
    return device->pending.count + (size_t)device->blamed >= HEALTH_STRIKES ? HEALTH_SUSPECT : HEALTH_TRUSTED;
}

bool health_last_was_good(const struct health *health, int rank)
{
    return health->device[rank].last_was_good;
}

int health_failures(const struct health *health, int rank)
{
    return health->device[rank].failures;
}

int health_blamed(const struct health *health, int rank)
{
    return health->device[rank].blamed;
}

const uint32_t *health_doubtful(const struct health *health, int rank, size_t *count)
{
    *count = health->device[rank].last.count;
    return health->device[rank].last.index;
}
