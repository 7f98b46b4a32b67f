#include "coordinator/schedule/group_hints.h"

#include <stdlib.h>

#include "base/memory.h"

enum { GROUPS = 4096, REMEMBERED = 8 };

struct group_hints {
    struct {
        uint32_t group; /* 0: none */
        int rank;       /* that has begun it */
    } begun[GROUPS];    /* direct-mapped: index is the group modulo GROUPS */
    struct last {
        uint32_t group[REMEMBERED], count;
    } last[]; /* of each rank */
};

struct group_hints *group_hints_new(int ranks)
{
    return memory_new(1, sizeof(struct group_hints) + (size_t)ranks * sizeof(struct last));
}

void group_hints_free(struct group_hints *hints)
{
    free(hints);
}

static bool has_done(const struct last *last, uint32_t group)
{
    for (int i = 0; i < REMEMBERED; i++)
        if (last->group[i] == group)
            return true;
    return false;
}

bool group_hints_other_rank_has(const struct group_hints *hints, int rank, uint32_t group)
{
    size_t place = group % GROUPS;
    return hints->begun[place].group == group && hints->begun[place].rank != rank &&
           !has_done(&hints->last[rank], group);
}

void group_hints_note(struct group_hints *hints, int rank, uint32_t group)
{
    size_t place = group % GROUPS;
    struct last *last = &hints->last[rank];
    if (hints->begun[place].group != group) {
        hints->begun[place].group = group;
        hints->begun[place].rank = rank;
    }
    if (!has_done(last, group))
        last->group[last->count++ % REMEMBERED] = group;
}
