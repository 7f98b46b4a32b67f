#include "coordinator/schedule/schedule.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

struct timed {
    uint32_t index;
    uint32_t processes; /* of this rank that have measured it, the current round included */
};

struct rank {
    struct timed *point;
    size_t count, capacity;
    uint32_t round; /* of its worker; the first is 0 */
};

struct replicates {
    struct replicates_options options;
    struct rank *rank;
    bool begun;
};

struct replicates *replicates_new(const struct replicates_options *options)
{
    struct replicates *replicates = memory_new(1, sizeof *replicates);
    replicates->options = *options;
    replicates->rank = memory_new((size_t)options->ranks, sizeof *replicates->rank);
    return replicates;
}

void replicates_free(struct replicates *replicates)
{
    if (!replicates)
        return;
    for (int rank = 0; rank < replicates->options.ranks; rank++)
        free(replicates->rank[rank].point);
    free(replicates->rank);
    free(replicates);
}

static void add(struct rank *rank, struct timed point)
{
    rank->point = memory_grow(rank->point, rank->count, &rank->capacity, sizeof *rank->point);
    rank->point[rank->count++] = point;
}

void replicates_add(struct replicates *replicates, int rank, uint32_t index, uint32_t processes, bool own)
{
    assert(rank >= 0 && rank < replicates->options.ranks && (processes > 0 || own));
    if (replicates->options.processes > 1 || replicates->options.all_devices)
        add(&replicates->rank[rank], (struct timed){index, processes});
    for (int other = 0; other < replicates->options.ranks && replicates->options.all_devices && !own; other++)
        if (other != rank)
            add(&replicates->rank[other], (struct timed){index, 0});
}

bool replicates_open(struct replicates *replicates, bool waiting, bool running)
{
    if (replicates->begun || waiting || (replicates->options.all_devices && running))
        return false;
    replicates->begun = true;
    return true;
}

void replicates_close(struct replicates *replicates)
{
    replicates->begun = false;
}

/* A new order for each round (Fisher & Yates). */
static void shuffle(struct rank *rank, uint64_t seed)
{
    for (size_t i = rank->count; i > 1; i--) {
        size_t other = (size_t)(hash_mix(seed + i) % i);
        struct timed point = rank->point[i - 1];
        rank->point[i - 1] = rank->point[other];
        rank->point[other] = point;
    }
}

/* Queue points with fewer than `wanted` processes in that round. False: there are none. */
static bool queue(struct replicates *replicates, struct schedule *schedule, int number, uint32_t wanted,
                  uint32_t round)
{
    struct rank *rank = &replicates->rank[number];
    bool queued = false;
    for (size_t i = 0; i < rank->count; i++) {
        struct timed *point = &rank->point[i];
        if (point->processes >= wanted || !schedule_suits(schedule, number, point->index))
            continue;
        uint32_t turn = point->processes++;
        assert(point->processes <= replicates->options.processes);
        queued = true;
        schedule_add_repeat(
            schedule, number,
            (struct schedule_item){.index = point->index, .round = round, .replicate = true, .turn = turn});
    }
    return queued;
}

void replicates_issue(struct replicates *replicates, struct schedule *schedule, int number)
{
    assert(number >= 0 && number < replicates->options.ranks);
    struct rank *rank = &replicates->rank[number];
    uint64_t seed = hash_u64(hash_u64(replicates->options.seed, (uint64_t)number), rank->round + 1);
    if (!replicates->begun || schedule_has_own(schedule, number))
        return;
    shuffle(rank, seed);
    if (!queue(replicates, schedule, number, 1, rank->round)) /* points that only other ranks have measured */
        rank->round += queue(replicates, schedule, number, replicates->options.processes, rank->round + 1);
}

bool replicates_are_issued(const struct replicates *replicates, const struct schedule *schedule, int number)
{
    const struct rank *rank = &replicates->rank[number];
    uint32_t processes = replicates->options.processes;
    if (processes <= 1 && !replicates->options.all_devices)
        return true;
    for (size_t i = 0; i < rank->count; i++)
        if (rank->point[i].processes < processes && schedule_suits(schedule, number, rank->point[i].index))
            return false;
    return replicates->begun;
}

size_t replicates_planned(const struct replicates *replicates, size_t points)
{
    size_t devices = replicates->options.all_devices ? (size_t)replicates->options.ranks : 1;
    return points * (devices * replicates->options.processes - 1);
}
